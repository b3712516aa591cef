// SPDX-License-Identifier: Apache-2.0
#include "forecast/inquiry.hpp"

#include <cmath>
#include <deque>
#include <map>

#include "engines/automatic.hpp"
#include "forecast/check_question.hpp"
#include "forecast/fastest.hpp"
#include "forecast/forecast_cache.hpp"
#include "forecast/group.hpp"
#include "forecast/synthesis/front.hpp"
#include "forecast/without_bounds.hpp"
#include "libraries/policy.hpp"
#include "libraries/segments.hpp"
#include "model/proof.hpp"
#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "support/interrupt.hpp"
#include "support/notes.hpp"
#include "support/suggest.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

/// Turns algorithms into what is played: the same by the ranks, or a version for their DPU.
class AsPlayed {
 public:
  explicit AsPlayed(const Offload& offload) : offload_(offload) {}
  const Algorithm* operator()(const Algorithm* a) {
    return offload_.to_dpu() ? &offloaded_.emplace_back(on_dpu(*a, offload_.pieces)) : a;
  }

 private:
  const Offload& offload_;
  std::deque<Algorithm> offloaded_;
};

/// Answers one question.
class Inquiry {
 public:
  /// `on`: this platform instead of those that the question names.
  Inquiry(const Question& question, const Watch& watch, ForecastCache& cache, std::optional<Description> on)
      : q_(question),
        watch_(watch),
        cache_(cache),
        engine_(engine(question.engine)),
        every_(question.every()),
        on_(std::move(on)) {}

  Answer answer() {
    resolve();
    const InterruptedBy user(watch_.interrupt);
    try {
      for (which_ = 0; which_ < platforms_.size(); ++which_)
        for (const Collective collective : collectives_)
          for (const Rank ranks : q_.ranks) of_ranks(platforms_[which_], collective, ranks);
    } catch (const Interrupted&) {
      note(not_computed);
    }
    if (answer_.rows.empty() && unsegmented_) parse_segment(q_.call, *unsegmented_, true);  // throws
    if (answer_.rows.empty() && unruled_) throw *unruled_;
    return told();
  }

 private:
  bool auto_choice() const { return !q_.own && q_.algorithm == "auto"; }
  void note(std::string text) { add_once(answer_.notes, std::move(text)); }

  Answer told() {
    for (const Description& platform : platforms_) {
      const auto transferred = [&](const Answer::Row& r) {
        return r.platform == platform.name() && r.prediction.transferred.value_or(false);
      };
      if (std::ranges::none_of(answer_.rows, transferred)) continue;
      std::vector<std::string> on;
      for (const CalibratedOn& c : calibrated_on(platform)) on.push_back(c.text());
      note(platform.name() + " was calibrated on " + join(on, "; on ") +
           ": forecasts beyond that are transferred, with wider intervals");
    }
    return std::move(answer_);
  }

  /// Turns names into things. Throws InputError if options do not go together.
  void resolve() {
    check_given(q_);
    take_collectives();
    if (q_.sensitivity && q_.platforms.size() != 1) throw InputError("--sensitivity takes a single platform");
    if (on_)
      take(*on_);
    else
      for (const std::string& name : q_.platforms) add_platform(name);
    check_together(q_, collectives_, engine_);
    tell_release();
    answer_.engine = q_.engine;
    answer_.offload = q_.offload;
    for (const Description& d : platforms_) answer_.workers.push_back(workers(q_.offload, d));
    tell_formula();
    tell_ignored();
  }

  void take_collectives() {
    for (const std::string& name : q_.collectives) {
      const Definition& d = definition(name);
      collectives_.push_back(d.collective);
      answer_.collectives.emplace_back(d.name);
    }
  }

  void tell_formula() {
    for (const Description& d : platforms_)
      if (engine_.closed_form && d.name() != "flat")
        note("the formula takes alpha, beta and gamma of the slowest path that the schedule uses");
  }

  /// Notes what a question says and its collectives do not take.
  void tell_ignored() {
    for (const Collective collective : collectives_)
      if (definition(collective).whole(1) == 0 && !q_.sizes.empty() && q_.sizes != std::vector{Bytes()})
        note(std::string(definition(collective).name) + " moves no data: --size changes nothing");
    for (const Collective collective : collectives_)
      for (std::string& text : untaken(q_.call, collective, candidates(collective),
                                       q_.by_library() && auto_choice() ? q_.policy : ""))
        note(std::move(text));
  }

  /// Notes which release of NCCL or RCCL the transport is of, as its name may leave that out. Not needed with
  /// a policy of NCCL, which has a release of its own.
  void tell_release() {
    if (!q_.transport || q_.transport->kind != Transport::Kind::nccl || is_nccl(q_.policy)) return;
    const nccl::Release& release = q_.transport->protocol.release;
    note("--transport " + q_.transport->name() + " is that of " + (release.rccl ? "RCCL 2." : "NCCL 2.") +
         std::to_string(release.minor) + "; a release is named as in " +
         (release.rccl ? "rccl-2.18:LL" : "nccl-2.8:LL"));
  }

  void add_platform(const std::string& name) {
    std::vector<std::string> notes;
    Description d = cache_.platform(name, q_.set, notes);
    for (std::string& words : notes) note(std::move(words));
    take(std::move(d));
  }

  void take(Description d) {
    answer_.platforms.push_back(d.name());
    answer_.files.push_back(d.file());
    platforms_.push_back(std::move(d));
  }

  std::vector<const Algorithm*> candidates(Collective collective) const {
    if (q_.own) return {q_.own};
    if (every_ || auto_choice()) return algorithms(collective);
    return {&algorithm(collective, q_.algorithm)};
  }

  /// Checks the schedule of a caller's own algorithm, which no test has read.
  void check_own(const Call& call) const {
    if (!q_.own) return;
    check(*q_.own, call);
    check_playable(q_.own->schedule(call), q_.own->collective, call.ranks, full_name(*q_.own));
  }

  std::vector<Bytes> sizes(Collective collective) const {
    if (q_.sizes.empty() && collective == Collective::barrier && q_.call.counts.empty()) return {Bytes()};
    return q_.sizes.empty() ? std::vector{counted_message(q_.call, collective, q_.ranks[0])} : q_.sizes;
  }

  void of_ranks(const Description& platform, Collective collective, Rank ranks) {
    q_.by_library() ? of_library(platform, collective, ranks) : of_algorithms(platform, collective, ranks);
  }

  void of_library(const Description& platform, Collective collective, Rank ranks) {
    const auto kept =
        cache_.library(q_.policy, {platform, ranks, q_.placement, q_.memory_of(collective), 0, q_.transport});
    const Library& library = *kept;
    const Algorithm* forced = auto_choice() || every_ ? nullptr : candidates(collective).front();
    Skipped skipped;
    of_machine(library.forecaster().machine());
    for (const Bytes size : sizes(collective)) {
      end_if_interrupted();
      if (forced && forced->segmented && segment_exceeds(q_.call, size)) {
        skipped[forced->name][too_large(size)].push_back(size);
        continue;
      }
      const Call asked = plain_call(q_.call, collective, ranks, size, library.forecaster().ranks_per_node());
      check_own(asked);
      const std::string where = std::to_string(ranks) + " ranks, " + text::bytes(size.value) + ": ";
      std::vector<Library::Forecast> all;
      try {
        all = of_library(library, collective, asked);
      } catch (const NoRule& e) {
        if (!unruled_) unruled_ = e;
        skipped[std::string(definition(collective).name)][e.what()].push_back(size);
        continue;
      }
      const auto fastest =
          std::ranges::min_element(all, {}, [](const Library::Forecast& f) { return f.prediction.time; });
      if (every_) note(where + regret(all.front(), *fastest));
      if (!all.front().choice.why.empty()) note(where + all.front().choice.why);
      for (Library::Forecast& f : all) {
        tell_engine(f.prediction);
        if (watch_.watched) tell_played(library.watch(f, engine_, watch_.watched), f.prediction.time);
        Answer::Row& row = add_row(platform, f.prediction);
        row.protocol = f.choice.protocol, row.why = f.choice.why, row.estimate = f.estimate;
        if (every_) row.picked = &f == &all.front();
      }
    }
    tell(skipped);
  }

  /// Forecasts of what the library chooses, of what it is told to play, or of all; its own choice first.
  std::vector<Library::Forecast> of_library(const Library& library, Collective collective,
                                            const Call& asked) const {
    if (auto_choice()) return {library.predict(collective, asked, engine_)};
    if (!every_) {
      const Algorithm& a = *candidates(collective).front();
      const std::optional<Bytes> segment =
          a.segmented ? parse_segment(q_.call, asked.message, true) : std::nullopt;
      return {library.predict(a, asked, engine_, segment)};
    }
    std::vector<Library::Forecast> all = library.predict_all(collective, asked, engine_);
    if (!all.empty()) return all;
    all.push_back(library.predict(collective, asked, engine_));
    for (const Algorithm* a : common_algorithms(collective))
      if (unmet(*a, asked).empty() && a != all.front().choice.algorithm)
        all.push_back(library.predict(*a, asked, engine_));
    return all;
  }

  std::string regret(const Library::Forecast& picked, const Library::Forecast& fastest) const {
    const auto name = [](const Library::Forecast& f) {
      return f.choice.algorithm->name + (f.choice.protocol.empty() ? "" : " " + f.choice.protocol);
    };
    if (&picked == &fastest) return q_.policy + " takes " + name(picked) + ", the fastest here";
    return q_.policy + " takes " + name(picked) + ", " + name(fastest) + " is " +
           text::percent(1 - fastest.prediction.time / picked.prediction.time) + " faster";
  }

  /// Notes that rows are priced as MPI sends, if the library that users of the platform take has a rule of
  /// its own.
  void tell_library(const Description& platform, Collective collective) {
    if (q_.transport || q_.offload.asked() || engine_.closed_form ||
        q_.memory_of(collective) != Memory::device)
      return;
    const std::string usual = usual_policy(platform);
    if (is_nccl(usual) && has_rule(usual, collective))
      note(platform.name() + ": GPUs send as MPI does unless --transport says otherwise; --policy " + usual +
           " asks for the library of its users");
  }

  void of_machine(const Machine& machine) {
    occupancy_ = occupancy(machine);
    if (const int idle = machine.idle_adapters(); idle > 0 && occupancy_.nodes > 1)
      note(machine.platform() + ": ranks send by the nearest of a node's adapters, so that " +
           std::to_string(idle) +
           " send nothing; adapters that a library uses side by side are described as one");
  }

  void of_algorithms(const Description& platform, Collective collective, Rank ranks) {
    tell_library(platform, collective);
    const auto kept = cache_.forecaster({platform, ranks, q_.placement, q_.memory_of(collective),
                                         workers(q_.offload, platform), q_.transport});
    const Forecaster& forecaster = *kept;
    of_machine(forecaster.machine());
    const std::vector<const Algorithm*> able = playable(collective, ranks, forecaster);
    std::optional<Front> front = synthesized(collective, forecaster);
    Skipped skipped;
    for (const Bytes size : sizes(collective)) {
      const Call call = plain_call(q_.call, collective, ranks, size, forecaster.ranks_per_node());
      check_own(call);
      if (auto_choice()) {
        end_if_interrupted();
        if (segment_exceeds(q_.call, size))
          skipped[std::string(definition(collective).name)][too_large(size)].push_back(size);
        else
          add(platform, forecaster, sensible(able, forecaster, size), call);
      } else {
        for (const Algorithm* a : able) {
          end_if_interrupted();
          watch_.progress("predicting " + a->name + " on " + std::to_string(ranks) + " ranks");
          if (const std::string why = unserved(*a, forecaster, size); !why.empty())
            skipped[a->name][why].push_back(size);
          else
            add(platform, forecaster, {a}, call);
        }
      }
      if (front) add(platform, *front, size);
    }
    tell(skipped);
  }

  /// Sizes without an answer, by algorithm or collective, and by reason.
  using Skipped = std::map<std::string, std::map<std::string, std::vector<Bytes>>>;

  void tell(const Skipped& skipped) {
    for (const auto& [a, why_at] : skipped)
      for (const auto& [why, at] : why_at) note(a + " is skipped at " + listed(at) + ": " + why);
  }

  /// Why the algorithm has no forecast at a size; empty: it has one.
  std::string unserved(const Algorithm& a, const Forecaster& forecaster, Bytes size) {
    if (a.segmented && segment_exceeds(q_.call, size)) return too_large(size);
    return every_ ? forecaster.why_avoided(a, size) : "";
  }

  std::string too_large(Bytes size) {
    if (!unsegmented_) unsegmented_ = size;
    return "the segment of " + q_.call.segment + " is larger";
  }

  /// "4 KiB", "4 KiB to 1 MiB (3 sizes)".
  static std::string listed(const std::vector<Bytes>& sizes) {
    const std::string first = text::bytes(sizes.front().value);
    if (sizes.size() == 1) return first;
    return first + " to " + text::bytes(sizes.back().value) + " (" +
           text::counted(static_cast<std::int64_t>(sizes.size()), "size") + ")";
  }

  /// The schedules synthesised for the machine, if they were asked for.
  std::optional<Front> synthesized(Collective collective, const Forecaster& forecaster) {
    const Rank ranks = forecaster.fabric().ranks();
    if (!q_.with_synthesized) return {};
    if (!synthesizes(collective) || ranks > most_synthesized) {
      note("no schedule was synthesized for " + std::string(definition(collective).name) + " on " +
           std::to_string(ranks) + " ranks");
      return {};
    }
    watch_.progress("synthesizing " + std::string(definition(collective).name));
    const Rank root = plain_call(q_.call, collective, ranks, Bytes(1)).root;
    Front front(collective, forecaster, root, 0, interrupted);
    for (const std::string& words : front.notes()) note(words);
    return front;
  }

  void add(const Description& platform, Front& front, Bytes size) {
    Front::Fastest fastest = front.fastest(size, engine_);
    add_row(platform, std::move(fastest.prediction));
    answer_.synthesized.push_back(std::move(fastest.schedule));
  }

  /// The playable algorithms that a library would consider. A DPU plays only those that need nothing of
  /// switches.
  std::vector<const Algorithm*> sensible(std::vector<const Algorithm*> able, const Forecaster& forecaster,
                                         Bytes size) const {
    std::erase_if(able, [&](const Algorithm* a) {
      const Demands needs = demands(*a);
      return !forecaster.why_avoided(*a, size).empty() ||
             (q_.offload.asked() && (needs.multicast || needs.reduction));
    });
    return able;
  }

  /// The algorithms that were asked for. With `all`, those that can be played here, and a note on each that
  /// cannot.
  std::vector<const Algorithm*> playable(Collective collective, Rank ranks, const Forecaster& forecaster) {
    std::vector<const Algorithm*> able = candidates(collective);
    if (!every_ && !auto_choice()) return able;
    CallText unsized = q_.call;
    unsized.counts.clear();
    const Call call = plain_call(unsized, collective, ranks, Bytes(1), forecaster.ranks_per_node());
    std::erase_if(able, [&](const Algorithm* a) {
      const std::string needed = unmet(*a, call), missing = needed.empty() ? forecaster.lacks(*a) : needed;
      const bool by_option = !needed.empty() && a->supports(ranks);
      if (!missing.empty() && (every_ || by_option))
        note(a->name + " is skipped on " + std::to_string(ranks) + " ranks: it needs " + missing);
      return !missing.empty();
    });
    return able;
  }

  /// Adds a row for the fastest of several algorithms, or for a single one as it was asked for.
  void add(const Description& platform, const Forecaster& forecaster, std::vector<const Algorithm*> among,
           const Call& call) {
    AsPlayed played(q_.offload);
    std::vector<const Algorithm*> originals = among;
    std::ranges::transform(among, among.begin(), std::ref(played));
    if (q_.offload.asked()) {
      const Choice choice = choose(forecaster, among, call);
      OverlapPrediction p = predict_overlap(q_.offload, forecaster, *choice.algorithm, choice.call, engine_);
      const auto which = std::ranges::find(among, choice.algorithm) - among.begin();
      p.prediction.algorithm = originals[static_cast<std::size_t>(which)];
      add_row(platform, std::move(p.prediction)).overlap = p.overlap;
      return;
    }
    Prediction best = forecast(forecaster, among, call);
    if (engine_.name == "path") tell_shared(*best.algorithm, best.call, forecaster.fabric());
    if (watch_.watched)
      tell_played(forecaster.watch(*best.algorithm, best.call, engine_, watch_.watched), best.time);
    add_row(platform, std::move(best));
  }

  /// Notes why this engine made the prediction, if it is not the obvious one.
  void tell_engine(const Prediction& p) {
    if (!p.note.empty()) note(std::string(p.note));
  }

  Answer::Row& add_row(const Description& platform, Prediction prediction) {
    tell_engine(prediction);
    Answer::Row& row = answer_.rows.emplace_back();
    row.platform = platform.name(), row.engine = prediction.engine;
    row.occupancy = occupancy_, row.which = which_;
    row.prediction = std::move(prediction);
    return row;
  }

  /// Notes once that messages share links that the critical path ignores.
  void tell_shared(const Algorithm& a, const Call& call, const Fabric& fabric) {
    if (shared_told_ || !messages_may_share(a.schedule(call), fabric)) return;
    shared_told_ = true;
    note("messages of " + a.name +
         " can share a link, which the critical path ignores; --engine contention models it");
  }

  void note_unsearched(const std::vector<const Algorithm*>& among, const Call& call) {
    std::vector<std::string> names;
    for (const Algorithm* a : among)
      if (a->supports(call.ranks) && too_long_to_search(*a, call, stated(*a, call.message)))
        names.push_back(a->name);
    if (!names.empty())
      note("radix and channels not searched on " + std::to_string(call.ranks) +
           " ranks, where that takes more than 16 million messages: " + text::join(names));
  }

  /// The forecast of the fastest of several algorithms, or of a single one as it was asked for.
  Prediction forecast(const Forecaster& forecaster, const std::vector<const Algorithm*>& among,
                      const Call& call) {
    note_unsearched(among, call);
    if (!auto_choice())
      return predict_at_best(forecaster, *among[0], call, stated(*among[0], call.message), engine_);
    std::vector<std::string> sampled;
    Prediction best =
        predict_fastest(forecaster, among, call, stated(call.message), engine_, watch_.progress, &sampled);
    std::erase(sampled, best.algorithm->name);
    if (!sampled.empty())
      note("compared by a sample of their messages on " + std::to_string(call.ranks) + " ranks, at " +
           text::bytes(call.message.value) + ": " + text::join(sampled));
    return best;
  }

  Stated stated(Bytes message) const {
    return {parse_segment(q_.call, message, true), !q_.call.radix.empty(), !q_.call.channels.empty()};
  }
  Stated stated(const Algorithm& a, Bytes message) const {
    return a.segmented ? stated(message) : Stated{{}, !q_.call.radix.empty(), !q_.call.channels.empty()};
  }

  void tell_played(Seconds played, Seconds answer) {
    if (std::abs((played - answer).value) <= 1e-9 * answer.value) return;
    answer_.shown = played;
    note("messages are shown as they are played with contention, in " + text::seconds(played.value) +
         "; the answer is " + text::seconds(answer.value));
  }

  Choice choose(const Forecaster& forecaster, const std::vector<const Algorithm*>& among, const Call& call) {
    const Fabric& fabric = forecaster.fabric();
    if (among.size() == 1 && !auto_choice()) {
      check(*among[0], call);
      return {among[0], with_parameters(fabric, *among[0], call, stated(*among[0], call.message))};
    }
    const Choice best = fastest(fabric, among, call, stated(call.message), [&](const Algorithm& a) {
      watch_.progress("looking for the fastest on " + std::to_string(call.ranks) + " ranks: " + a.name);
    });
    if (best.algorithm) return best;
    throw InputError("no algorithm of the catalogue serves " +
                     std::string(definition(among.at(0)->collective).name) + " on " +
                     std::to_string(call.ranks) + " ranks");
  }

  const Question& q_;
  const Watch& watch_;
  ForecastCache& cache_;
  const Engine& engine_;
  bool every_;
  std::size_t which_ = 0;  ///< the index of the present platform
  Occupancy occupancy_;    ///< of the platform by the present number of ranks
  bool shared_told_ = false;
  std::optional<Bytes> unsegmented_;  ///< the first size that is smaller than the segment asked for
  std::optional<NoRule> unruled_;     ///< the first reason why the library's choice is not known
  std::optional<Description> on_;
  std::vector<Collective> collectives_;
  std::vector<Description> platforms_;
  Answer answer_;
};

}  // namespace

Answer inquire(const Question& question, const Watch& watch, ForecastCache& cache,
               std::optional<Description> on) {
  return Inquiry(question, watch, cache, std::move(on)).answer();
}

}  // namespace collcast
