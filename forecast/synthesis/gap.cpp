// SPDX-License-Identifier: Apache-2.0
#include "forecast/synthesis/gap.hpp"

#include <cmath>
#include <optional>
#include <set>

#include "forecast/answer.hpp"
#include "forecast/forecast_cache.hpp"
#include "forecast/library.hpp"
#include "forecast/report/plot.hpp"
#include "forecast/report/what_if.hpp"
#include "forecast/synthesis/front.hpp"
#include "forecast/synthesis/rows.hpp"
#include "libraries/policy.hpp"
#include "libraries/segments.hpp"
#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "support/interrupt.hpp"
#include "support/json.hpp"
#include "support/notes.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

Json bound_row(Bytes message, const Bound& b) {
  return {
      {"message_bytes", std::llround(message.value)},
      {"schedule", "bound"},
      {"algorithm", "any"},
      {"segments", Json()},
      {"engine", "cuts"},
      {"transport", Json()},
      {"time_s", b.time.value},
      {"low_s", b.time.value},
      {"high_s", b.time.value},
      {"lower_bound_s", b.time.value},
      {"bound_cut", b.cut},
      {"ratio", 1.0},
      {"algbw_GBps", message > Bytes() && b.time.value > 0 ? Json((message / b.time).value / 1e9) : Json()},
      {"limited_by", b.cut}};
}

/// Whether all messages go between the ranks' own memories, as lower bounds by prices assume.
bool priced(const Prediction& p) {
  const Schedule schedule = p.algorithm->schedule(p.call);
  Step step(false);
  for (std::int64_t s = 0; s < schedule.steps; ++s) {
    step.clear();
    schedule.rule(s, step);
    if (!step.multicasts.empty() || !step.reductions.empty()) return false;
    for (const Transfer& t : step.transfers)
      if (t.from.memory != Memory::device || t.to.memory != Memory::device) return false;
  }
  return true;
}

/// The answer for the fastest algorithm of the catalogue, with its notes.
Answer of_catalogue(const Question& q, Bytes size, ForecastCache& cache, const Watch& watch) {
  Question one = q;
  one.policy = "fastest", one.algorithm = "auto", one.sizes = {size};
  Answer answer = ask(one, cache, {.progress = watch.progress, .interrupt = watch.interrupt});
  end_if_interrupted();
  return answer;
}

/// The columns of a synthesis, with the transport and the interval added.
std::vector<report::Column> columns_of_gap() {
  std::vector<report::Column> all = synthesis::columns();
  all.insert(all.begin() + 4, report::text_of("transport", "transport"));
  all.insert(all.begin() + 6, {report::number_of("low", "low_s", text::seconds),
                               report::number_of("high", "high_s", text::seconds)});
  return all;
}

/// One collective on one platform: the bound, and the fastest of what was synthesized, of the catalogue and
/// of a library, size by size.
class GapReport {
 public:
  GapReport(const Question& q, const Watch& watch)
      : q_(q),
        watch_(watch),
        collective_(definition(q.collectives.at(0)).collective),
        ranks_(q.ranks.at(0)),
        name_(definition(collective_).name),
        platform_(described(q)),
        library_(q.policy, platform_, ranks_, parse_placement(q.placement), memory(), q.transport),
        sent_(sender()),
        forecaster_(sent_ ? *sent_ : library_.forecaster()) {
    answer_.head = {{"platform", forecaster_.machine().platform()},
                    {"collective", name_},
                    {"ranks", ranks_},
                    {"policy", q.policy}};
    answer_.title = name_ + " of " + std::to_string(ranks_) + " ranks on " +
                    forecaster_.machine().platform() + ": how far from the bound";
    if (q.transport) answer_.title += ", transport " + forecaster_.transport().name();
  }

  report::Report at_all_sizes() {
    const InterruptedBy user(watch_.interrupt);
    Json rows = Json::array();
    try {
      synthesize();
      for (const Bytes size : sizes())
        for (Json& row : at(size)) rows.push_back(std::move(row));
    } catch (const Interrupted&) {
      interrupted_ = true;
      note(rows.empty() ? "interrupted before all schedules of the first size were priced: there are no rows"
                        : "interrupted: what follows was not computed");
    }
    if (unruled_ && !ruled_ && !interrupted_) throw *unruled_;
    // Once interrupted, the front notes that its schedules are the best so far; no row here shows such.
    if (front_)
      for (const std::string& words : front_->notes())
        if (!interrupted_ || words != Front::best_so_far) note(words);
    tell_transports(rows);
    answer_.sections.push_back({"gaps", std::move(rows), columns_of_gap()});
    return std::move(answer_);
  }

 private:
  static Description described(const Question& q) {
    Description platform = load_platform(q.platforms.at(0));
    set_all(platform, q.set);
    check_memory(q.policy, q.memory);
    if (q.transport) check_memory(*q.transport, q.memory);
    return platform;
  }
  Memory memory() const { return q_.memory_of(collective_); }
  /// The forecaster of the transport that was asked for, if the library's own is of another: a policy of NCCL
  /// sends only its own choices by the transport that it is told to take.
  std::optional<Forecaster> sender() const {
    if (!q_.transport || library_.forecaster().transport().name() == q_.transport->name()) return {};
    return std::optional<Forecaster>(std::in_place, platform_, ranks_, parse_placement(q_.placement),
                                     memory(), 0, q_.transport);
  }
  void note(std::string words) { add_once(answer_.notes, std::move(words)); }

  void synthesize() {
    if (!synthesizes(collective_) || ranks_ > most_synthesized)
      return note(
          "no schedule was synthesized: there are methods for allgather, reduce-scatter, allreduce, "
          "broadcast, "
          "reduce, gather, scatter and alltoall on at most " +
          std::to_string(most_synthesized) + " ranks");
    watch_.progress("synthesizing " + name_);
    const Call rooted = plain_call(q_.call, collective_, ranks_, Bytes(1));
    front_.emplace(collective_, forecaster_, rooted.root, 0, interrupted);
  }

  std::vector<Bytes> sizes() {
    if (definition(collective_).whole(1) != 0) return q_.sizes;
    note(name_ + " moves no data: --size changes nothing");
    return {Bytes()};
  }

  Json at(Bytes size) {
    end_if_interrupted();
    watch_.progress("comparing at " + text::bytes(size.value));
    const Call call = plain_call(q_.call, collective_, ranks_, size, forecaster_.ranks_per_node());
    const Answer asked = of_catalogue(q_, size, cache_, watch_);
    const Prediction& best = asked.rows.at(0).prediction;
    for (const std::string& words : asked.notes) note(words);
    Bound bound = forecaster_.lower_bound(
        *best.algorithm, call, forecaster_.transport().foreign() ? Bounds::Of::links : Bounds::Of::messages);
    const std::optional<Library::Forecast> chosen = by_library(call);
    // A library may have cheaper software than the catalogue's messages, and so a lower bound.
    if (chosen && chosen->prediction.bound.time < bound.time) bound = chosen->prediction.bound;
    if (front_ && front_->limit().by_prices && priced(best))
      bound = synthesis::raised_by_prices(bound, size, *front_);
    Json rows = Json::array({bound_row(size, bound)});
    if (front_) {
      const Front::Fastest synthesized = front_->fastest(size, engine(q_.engine));
      end_if_interrupted();
      note(std::string(synthesized.prediction.note));
      rows.push_back(synthesis::row("synthesized", synthesized.prediction, bound));
    }
    rows.push_back(synthesis::row("catalogue", best, bound));
    if (chosen) rows.push_back(synthesis::row(q_.policy, chosen->prediction, bound));
    return rows;
  }

  /// Notes if rows differ in their software, as then they do not differ by their schedules alone.
  void tell_transports(const Json& rows) {
    std::set<std::string> all;
    for (const Json& row : rows)
      if (!row["transport"].is_null()) all.insert(row["transport"].get<std::string>());
    if (all.size() < 2 || q_.transport) return;
    note("rows differ in what carries their messages: " +
         text::join(std::vector<std::string>(all.begin(), all.end())) + "; --transport names one for all");
  }

  /// The library's choice; none if the policy is no library or has no rule.
  std::optional<Library::Forecast> by_library(const Call& call) {
    if (q_.policy == "fastest") return {};
    try {
      Library::Forecast chosen = library_.predict(collective_, call, engine(q_.engine));
      ruled_ = true;
      note(std::string(chosen.prediction.note));
      return chosen;
    } catch (const NoRule& e) {
      unruled_ = e;
      note(q_.policy + " is skipped at " + text::bytes(call.message.value) + ": " + e.what());
      return {};
    }
  }

  const Question& q_;
  const Watch& watch_;
  Collective collective_;
  Rank ranks_;
  std::string name_;
  Description platform_;
  Library library_;
  std::optional<Forecaster> sent_;  ///< if the library's own forecaster is of another transport
  const Forecaster& forecaster_;
  std::optional<Front> front_;
  ForecastCache cache_;
  report::Report answer_;
  bool ruled_ = false, interrupted_ = false;
  std::optional<NoRule> unruled_;
};

}  // namespace

report::Report gap(const Question& q, const Watch& watch) {
  report::Report answer = GapReport(q, watch).at_all_sizes();
  const InterruptedBy user(watch.interrupt);
  report::tell_without_effect(answer, q.set, [&](const std::vector<std::string>& set) {
    Question other = q;
    other.set = set;
    return GapReport(other, watch).at_all_sizes().sections[0].rows;
  });
  return answer;
}

report::Graph gap_graph(const report::Report& gap) {
  const report::Axis sizes = report::size_axis();
  return {"", sizes, report::time_axis(),
          report::curves_of(gap.sections.at(0).rows, sizes, "message_bytes", "time_s", {"schedule"})};
}

}  // namespace collcast
