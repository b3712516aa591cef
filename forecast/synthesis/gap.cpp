// SPDX-License-Identifier: Apache-2.0
#include "forecast/synthesis/gap.hpp"

#include <cmath>
#include <set>

#include "forecast/answer.hpp"
#include "forecast/forecast_cache.hpp"
#include "forecast/library.hpp"
#include "forecast/report/plot.hpp"
#include "libraries/policy.hpp"
#include "libraries/segments.hpp"
#include "model/critical_path.hpp"
#include "model/load.hpp"
#include "model/proof.hpp"
#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "support/interrupt.hpp"
#include "support/json.hpp"
#include "support/notes.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

using report::Column, report::count_of, report::number_of, report::text_of;

Json row(const std::string& what, const Prediction& p, const Bound& bound,
         const std::string& transport = "") {
  return {{"message_bytes", std::llround(p.call.message.value)},
          {"schedule", what},
          {"algorithm", p.algorithm->name},
          {"segments", p.call.segments},
          {"engine", p.engine},
          {"transport", transport.empty() ? Json() : Json(transport)},
          {"time_s", p.time.value},
          {"low_s", p.low.value},
          {"high_s", p.high.value},
          {"lower_bound_s", bound.time.value},
          {"bound_cut", bound.cut},
          {"ratio", bound.time.value > 0 ? Json(p.time / bound.time) : Json()},
          {"algbw_GBps", p.call.message > Bytes() ? Json(p.algorithm_bandwidth().value / 1e9) : Json()},
          {"limited_by", p.limited_by}};
}

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

std::vector<Column> columns() {
  return {number_of("message", "message_bytes", text::bytes),
          text_of("schedule", "schedule"),
          text_of("algorithm", "algorithm"),
          text_of("engine", "engine"),
          number_of("time", "time_s", text::seconds),
          number_of("x bound", "ratio", text::number),
          number_of("algbw", "algbw_GBps", text::gbps),
          text_of("limited by", "limited_by")};
}

/// Prices of links and ports know more than cuts.
Bound tightest(Bound bound, Bytes message, const Front& front) {
  if (!front.limit().by_prices) return bound;
  if (const Seconds by_prices = message * *front.limit().by_prices; by_prices > bound.time)
    bound = {by_prices, "links and ports, whatever the ways"};
  return bound;
}

/// Three factors of the time over the bound: how much longer the schedule keeps its busiest link, how much
/// longer than that its busiest port, whose messages may be slower than links, and latency and waiting.
Json losses(const Prediction& p, const Bound& bound, const Fabric& fabric) {
  const Schedule schedule = p.algorithm->schedule(p.call);
  const Layout sizes = layout(*p.algorithm, p.call, schedule);
  const double links = heaviest(fabric, traffic(schedule, sizes)).time.value;
  const double ports = std::ranges::max(critical_path(schedule, sizes, fabric).busy).value;
  const double cut = bound.time.value, on_links = std::max(cut, links);
  if (!(cut > 0) || p.time.value < on_links) return {};
  // Messages of several channels may overlap at a port that paces each of them.
  const double on_ports = std::clamp(ports, on_links, p.time.value);
  return {{"links", on_links / cut}, {"ports", on_ports / on_links}, {"waiting", p.time.value / on_ports}};
}

/// Whether all messages go from one rank's memory to another's, as those do that have prices.
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

/// The fastest that the catalogue has, with what is to be said of it.
Answer of_catalogue(const Question& q, Bytes size, ForecastCache& cache, const Watch& watch) {
  Question one = q;
  one.policy = "fastest", one.algorithm = "auto", one.sizes = {size};
  Answer answer = ask(one, cache, {.progress = watch.progress, .interrupt = watch.interrupt});
  end_if_interrupted();
  return answer;
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
        library_(made(q)),
        forecaster_(library_.forecaster()) {
    answer_.head = {{"platform", forecaster_.machine().platform()},
                    {"collective", name_},
                    {"ranks", ranks_},
                    {"policy", q.policy}};
    answer_.title = name_ + " of " + std::to_string(ranks_) + " ranks on " +
                    forecaster_.machine().platform() + ": how far from the bound";
  }

  report::Report at_all_sizes() {
    const InterruptedBy user(watch_.interrupt);
    synthesize();
    Json rows = Json::array();
    try {
      for (const Bytes size : sizes())
        for (Json& row : at(size)) rows.push_back(std::move(row));
    } catch (const Interrupted&) {
      note("interrupted: what follows was not computed");
    }
    if (unruled_ && !ruled_) throw *unruled_;
    if (front_)
      for (const std::string& words : front_->notes()) note(words);
    answer_.sections.push_back({"gaps", std::move(rows), columns()});
    return std::move(answer_);
  }

 private:
  static Library made(const Question& q) {
    Description platform = load_platform(q.platforms.at(0));
    set_all(platform, q.set);
    check_memory(q.policy, q.memory);
    return {q.policy, platform, q.ranks.at(0), parse_placement(q.placement),
            q.memory_of(definition(q.collectives.at(0)).collective)};
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
    Bound bound = forecaster_.lower_bound(*best.algorithm, call);
    const std::optional<Library::Forecast> chosen = by_library(call);
    // Software that the catalogue's messages have to pay for is not that of every library.
    if (chosen && chosen->prediction.bound.time < bound.time) bound = chosen->prediction.bound;
    if (front_ && front_->limit().by_prices && priced(best)) bound = tightest(bound, size, *front_);
    Json rows = Json::array({bound_row(size, bound)});
    if (front_) {
      const Prediction synthesized = front_->fastest(size, engine(q_.engine)).prediction;
      note(std::string(synthesized.note));
      rows.push_back(row("synthesized", synthesized, bound));
    }
    rows.push_back(row("catalogue", best, bound));
    if (chosen) rows.push_back(row(q_.policy, chosen->prediction, bound, chosen->prediction.transport));
    return rows;
  }

  /// None of the policy that is no library, and where it has no rule.
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
  Library library_;
  const Forecaster& forecaster_;
  std::optional<Front> front_;
  ForecastCache cache_;
  report::Report answer_;
  bool ruled_ = false;
  std::optional<NoRule> unruled_;
};

}  // namespace

bool holds(const SynthesizedSchedule& synthesized, Rank root) {
  const Collective collective = synthesized.algorithm.collective;
  const auto of = [&](const auto& plan) {
    if constexpr (std::is_same_v<std::decay_t<decltype(plan)>, Forest>)
      return schedule(plan, collective, root, 1);
    else
      return schedule(plan, 1);
  };
  return !prove(std::visit(of, synthesized.plan), collective, root);
}

report::Report gap(const Question& q, const Watch& watch) {
  return GapReport(q, watch).at_all_sizes();
}

report::Graph gap_graph(const report::Report& gap) {
  const report::Axis sizes = report::size_axis();
  return {"", sizes, report::time_axis(),
          report::curves_of(gap.sections.at(0).rows, sizes, "message_bytes", "time_s", {"schedule"})};
}

report::Report report_of(Front& front, const Question& q, const Forecaster& forecaster) {
  const Definition& d = definition(front.collective());
  const auto bandwidth = [](SecondsPerByte of) { return of.value > 0 ? 1e-9 / of.value : 0.0; };
  Json rows = Json::array(), schedules = Json::array();
  report::Report answer;
  answer.title = std::string(d.name) + " of " + std::to_string(front.ranks()) + " ranks on " +
                 forecaster.machine().platform();
  std::set<const SynthesizedSchedule*> shown;
  bool all_hold = true;
  for (const Bytes size : q.sizes) {
    const Front::Fastest fastest = front.fastest(size, engine("contention"));
    for (const char* name : {"path", "contention"}) {
      const Prediction& p = fastest.prediction;
      const Prediction by = forecaster.predict(*p.algorithm, p.call, engine(name));
      const Bound bound = tightest(by.bound, size, front);
      rows.push_back(row("synthesized", by, bound));
      rows.back()["lost"] = by.engine == "contention" ? losses(by, bound, forecaster.fabric()) : Json();
    }
    const SynthesizedSchedule& schedule = *fastest.schedule;
    if (!shown.insert(&schedule).second) continue;
    const bool hold = holds(schedule, front.root());
    all_hold = all_hold && hold;
    answer.title += "\n" + schedule.algorithm.name + ": " + schedule.words + "; " +
                    (hold ? "proven" : "it does not hold");
    schedules.push_back(
        {{"name", schedule.algorithm.name}, {"consists_of", schedule.words}, {"holds", hold}});
  }
  answer.head = {{"platform", forecaster.machine().platform()},
                 {"collective", d.name},
                 {"ranks", front.ranks()},
                 {"root", d.rooted ? Json(front.root()) : Json()},
                 {"schedules", std::move(schedules)},
                 {"holds", all_hold}};
  const Busiest& limit = front.limit();
  answer.head["optimum_algbw_GBps"] = limit.optimum ? Json(bandwidth(*limit.optimum)) : Json();
  answer.head["schedule_algbw_GBps"] = limit.optimum ? Json(bandwidth(limit.busiest)) : Json();
  answer.head["busiest_link"] = limit.optimum ? Json(limit.link) : Json();
  if (limit.optimum && limit.optimum->value > 0) {
    // Prices may know more than the cut, and for an alltoall they are all that is known.
    const bool by_prices = limit.by_prices && *limit.by_prices >= *limit.optimum;
    answer.title += (d.collective == Collective::allreduce ? "\ntrees that share evenly allow "
                     : by_prices                           ? "\nlinks and ports allow "
                                                           : "\nlinks allow ") +
                    text::gbps(bandwidth(by_prices ? *limit.by_prices : *limit.optimum)) +
                    " (algbw), the busiest of " + limit.name + " (" + limit.link + ") " +
                    text::gbps(bandwidth(limit.busiest));
  }
  answer.notes = front.notes();
  std::vector<Column> shown_columns = columns();
  shown_columns[1] = text_of("schedule", "algorithm");
  shown_columns[2] = count_of("segments", "segments");
  for (const char* part : {"waiting", "ports", "links"})
    shown_columns.insert(shown_columns.begin() + 6,
                         {part, [part](const Json& r) {
                            return r["lost"].is_null() ? "-" : text::number(r["lost"][part].get<double>());
                          }});
  answer.sections.push_back({"predictions", std::move(rows), std::move(shown_columns)});
  answer.remark =
      "x bound = links x ports x waiting: what the busiest link carries beyond what the cut asks,\n"
      "what messages are slower than their links on the busiest port, latency and waiting.";
  return answer;
}

}  // namespace collcast
