// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include "forecast/answer.hpp"
#include "forecast/library.hpp"
#include "libraries/policy.hpp"
#include "platforms/description/load.hpp"
#include "platforms/description/plausible.hpp"
#include "platforms/machine/paths.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

/// The algorithms as they are played: by the ranks, or on their DPU.
class Played {
 public:
  explicit Played(bool on_dpu) : on_dpu_(on_dpu) {}
  const Algorithm* operator()(const Algorithm* a) {
    return on_dpu_ ? &offloaded_.emplace_back(on_dpu(*a)) : a;
  }

 private:
  bool on_dpu_;
  std::deque<Algorithm> offloaded_;
};

/// One question on its way to its answer.
class Inquiry {
 public:
  Inquiry(const Question& question, const Watch& watch)
      : q_(question), watch_(watch), engine_(engine(question.engine)), every_(question.algorithm == "all") {}

  Answer answer() {
    resolve();
    for (const Description& platform : platforms_)
      for (const Collective collective : collectives_)
        for (const Rank ranks : q_.ranks)
          if (!of_ranks(platform, collective, ranks)) {
            note("interrupted: what follows was not computed");
            return std::move(answer_);
          }
    return std::move(answer_);
  }

 private:
  bool by_library() const { return q_.policy != "fastest"; }
  bool auto_choice() const { return !q_.imported && q_.algorithm == "auto"; }
  bool interrupted() const { return watch_.interrupt && watch_.interrupt->load(std::memory_order_relaxed); }
  void note(std::string text) {
    if (std::ranges::find(answer_.notes, text) == answer_.notes.end())
      answer_.notes.push_back(std::move(text));
  }

  /// Names to things, and what does not go together.
  void resolve() {
    for (const auto& [given, what] : {std::pair{q_.collectives.size(), "the collective"},
                                      {q_.platforms.size(), "--platform"},
                                      {q_.ranks.size(), "--ranks"}})
      if (given == 0) throw InputError(std::string(what) + " is missing");
    for (const std::string& name : q_.collectives) {
      const Definition& d = definition(name);
      collectives_.push_back(d.collective);
      answer_.collectives.emplace_back(d.name);
    }
    for (const std::string& name : q_.platforms) add_platform(name);
    for (const Collective collective : collectives_) {
      if (!q_.imported && !every_ && q_.algorithm != "auto") algorithm(collective, q_.algorithm);
    }
    if (by_library() && !auto_choice()) throw InputError("--policy goes with --algorithm auto");
    check(q_.offload, engine_);
    if (by_library() && q_.offload.asked()) throw InputError("--offload does not go with --policy");
    if (by_library()) check_policy(q_.policy);
    answer_.engine = q_.engine;
    answer_.offload = q_.offload;
    for (const Description& d : platforms_) {
      answer_.workers.push_back(workers(q_.offload, d));
      if (engine_.name == "formula" && d.name() != "flat")
        note("the formula takes alpha, beta and gamma of the slowest path that the schedule uses");
    }
    if (q_.imported && q_.imported->unused_messages > 0)
      note(std::to_string(q_.imported->unused_messages) +
           " messages of the file whose data no result needs are left out");
    for (const Collective collective : collectives_)
      for (std::string& text : untaken(q_.call, collective, candidates(collective))) note(std::move(text));
  }

  void add_platform(const std::string& name) {
    Description d = load_platform(name);
    set_all(d, q_.set);
    for (const Parameter& p : unused_parameters(d))
      if (p.stamp == Stamp::what_if) note(p.path + " moves no message and no reduction");
    for (std::string& words : implausible(d)) note(std::move(words));
    answer_.platforms.push_back(d.name());
    platforms_.push_back(std::move(d));
  }

  std::vector<const Algorithm*> candidates(Collective collective) const {
    if (q_.imported) return {&q_.imported->algorithm};
    if (every_ || auto_choice()) return algorithms(collective);
    return {&algorithm(collective, q_.algorithm)};
  }

  std::vector<Bytes> sizes(Collective collective) const {
    if (q_.sizes.empty() && collective == Collective::barrier && q_.call.counts.empty()) return {Bytes()};
    return q_.sizes.empty() ? std::vector{counted_message(q_.call, collective, q_.ranks[0])} : q_.sizes;
  }

  /// False if the user wants no more.
  bool of_ranks(const Description& platform, Collective collective, Rank ranks) {
    return by_library() ? of_library(platform, collective, ranks)
                        : of_algorithms(platform, collective, ranks);
  }

  bool of_library(const Description& platform, Collective collective, Rank ranks) {
    const Library library(q_.policy, platform, ranks, parse_placement(q_.placement), q_.memory);
    for (const Bytes size : sizes(collective)) {
      if (interrupted()) return false;
      const Call asked = plain_call(q_.call, collective, ranks, size, library.forecaster().ranks_per_node());
      Library::Forecast f = library.predict(collective, asked, engine_);
      note(std::to_string(ranks) + " ranks, " + text::bytes(size.value) + ": " + f.choice.why);
      answer_.rows.push_back({platform.name(),
                              std::move(f.prediction),
                              std::string(engine_.name),
                              f.transport,
                              f.choice.protocol,
                              f.choice.why,
                              {}});
    }
    return true;
  }

  bool of_algorithms(const Description& platform, Collective collective, Rank ranks) {
    const Forecaster forecaster(platform, ranks, parse_placement(q_.placement), q_.memory,
                                workers(q_.offload, platform));
    const std::vector<const Algorithm*> able = playable(collective, ranks, forecaster);
    for (const Bytes size : sizes(collective)) {
      const Call call = plain_call(q_.call, collective, ranks, size, forecaster.ranks_per_node());
      if (auto_choice()) {
        if (interrupted()) return false;
        add(platform, forecaster, sensible(able, forecaster, size), call);
      } else {
        for (const Algorithm* a : able) {
          if (interrupted()) return false;
          watch_.progress("predicting " + a->name + " on " + std::to_string(ranks) + " ranks");
          if (const std::string why = every_ ? forecaster.unwise(*a, size) : ""; !why.empty())
            note(a->name + " is left out at " + text::bytes(size.value) + ": " + why);
          else
            add(platform, forecaster, {a}, call);
        }
      }
    }
    return true;
  }

  /// Of those that can be played those that a library would; a DPU plays what needs nothing of the switches.
  std::vector<const Algorithm*> sensible(std::vector<const Algorithm*> able, const Forecaster& forecaster,
                                         Bytes size) const {
    std::erase_if(able, [&](const Algorithm* a) {
      const Demands needs = demands(*a);
      return !forecaster.unwise(*a, size).empty() ||
             (q_.offload.asked() && (needs.multicast || needs.reduction));
    });
    return able;
  }

  /// The algorithms that were asked for, and a note for each of all that cannot be played here.
  std::vector<const Algorithm*> playable(Collective collective, Rank ranks, const Forecaster& forecaster) {
    std::vector<const Algorithm*> able = candidates(collective);
    if (every_ || auto_choice())
      std::erase_if(able, [&](const Algorithm* a) {
        const std::string missing = a->supports(ranks) ? forecaster.lacks(*a) : "ranks: " + a->ranks;
        if (!missing.empty() && every_)
          note(a->name + " is left out on " + std::to_string(ranks) + " ranks: it needs " + missing);
        return !missing.empty();
      });
    return able;
  }

  /// The fastest of several; a single one as it was asked for.
  void add(const Description& platform, const Forecaster& forecaster, std::vector<const Algorithm*> among,
           const Call& call) {
    Played played(q_.offload.to_dpu());
    std::vector<const Algorithm*> originals = among;
    std::ranges::transform(among, among.begin(), std::ref(played));
    const Choice choice = choose(forecaster, among, call);
    const auto which = std::ranges::find(among, choice.algorithm) - among.begin();
    Answer::Row row;
    row.platform = platform.name();
    row.engine = engine_.name;
    if (q_.offload.asked()) {
      OverlapPrediction p = predict_overlap(q_.offload, forecaster, *choice.algorithm, choice.call, engine_);
      row.prediction = std::move(p.prediction);
      row.overlap = p.overlap;
    } else {
      row.prediction = forecaster.predict(*choice.algorithm, choice.call, engine_);
    }
    row.prediction.algorithm = originals[static_cast<std::size_t>(which)];
    answer_.rows.push_back(std::move(row));
  }

  Choice choose(const Forecaster& forecaster, const std::vector<const Algorithm*>& among, const Call& call) {
    const Fabric& fabric = forecaster.fabric();
    if (among.size() == 1 && !auto_choice()) {
      check(*among[0], call);
      const std::optional<Bytes> segment =
          among[0]->segmented ? parse_segment(q_.call, call.message, true) : std::nullopt;
      return {among[0], segmented(fabric, *among[0], call, segment)};
    }
    const Choice best =
        fastest(fabric, among, call, parse_segment(q_.call, call.message, true), [&](const Algorithm& a) {
          watch_.progress("looking for the fastest on " + std::to_string(call.ranks) + " ranks: " + a.name);
        });
    if (best.algorithm) return best;
    throw InputError("no algorithm for " + std::string(definition(among.at(0)->collective).name) + " on " +
                     std::to_string(call.ranks) + " ranks");
  }

  const Question& q_;
  const Watch& watch_;
  const Engine& engine_;
  bool every_;
  std::vector<Collective> collectives_;
  std::vector<Description> platforms_;
  Answer answer_;
};

}  // namespace

Answer ask(const Question& question, const Watch& watch) {
  return Inquiry(question, watch).answer();
}

}  // namespace collcast
