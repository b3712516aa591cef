// SPDX-License-Identifier: Apache-2.0
#include "forecast/synthesis/gap.hpp"

#include <cmath>

#include "forecast/answer.hpp"
#include "forecast/known.hpp"
#include "forecast/library.hpp"
#include "libraries/segments.hpp"
#include "model/proof.hpp"
#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

using report::Column;

Column number_of(std::string title, const char* key, std::string (*text)(double)) {
  return {std::move(title),
          [key, text](const Json& r) { return r[key].is_null() ? "-" : text(r[key].get<double>()); }};
}
Column text_of(std::string title, const char* key) {
  return {std::move(title), [key](const Json& r) { return r[key].get<std::string>(); }};
}

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
          {"algbw_GBps", p.algorithm_bandwidth().value / 1e9},
          {"limited_by", p.limited_by}};
}

Json bound_row(Bytes message, const Bound& b) {
  return {{"message_bytes", std::llround(message.value)},
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
          {"algbw_GBps", b.time.value > 0 ? Json((message / b.time).value / 1e9) : Json()},
          {"limited_by", b.cut}};
}

std::vector<Column> columns() {
  return {number_of("message", "message_bytes", text::bytes),
          text_of("schedule", "schedule"),
          text_of("algorithm", "algorithm"),
          text_of("engine", "engine"),
          number_of("time", "time_s", text::seconds),
          number_of("x bound", "ratio", text::number),
          number_of("algbw", "algbw_GBps", text::gbps)};
}

/// The one collective, platform and number of ranks of a question.
struct GapCase {
  Collective collective;
  Description platform;
  Rank ranks;

  explicit GapCase(const Question& q)
      : collective(definition(q.collectives.at(0)).collective),
        platform(load_platform(q.platforms.at(0))),
        ranks(q.ranks.at(0)) {
    set_all(platform, q.set);
  }
};

/// The fastest that the catalogue has.
Prediction of_catalogue(const Question& q, Bytes size, Known& known, const Watch& watch) {
  Question one = q;
  one.policy = "fastest", one.algorithm = "auto", one.sizes = {size};
  return ask(one, known, {.progress = watch.progress}).rows.at(0).prediction;
}

}  // namespace

Prediction predict(const Synthesis& s, const Forecaster& forecaster, Bytes message, const Engine& engine) {
  Call call{.ranks = s.forest.ranks, .root = s.root, .message = message};
  return forecaster.predict(s.algorithm, segmented(forecaster.fabric(), s.algorithm, call, {}), engine);
}

report::Report gap(const Question& q, const Watch& watch) {
  const GapCase subject(q);
  const std::string name(definition(subject.collective).name);
  const Library library(q.policy, subject.platform, subject.ranks, parse_placement(q.placement), q.memory);
  const Forecaster& forecaster = library.forecaster();
  const Engine& by = engine(q.engine);
  report::Report answer;
  answer.head = {{"platform", subject.platform.name()},
                 {"collective", name},
                 {"ranks", subject.ranks},
                 {"policy", q.policy}};
  answer.title = name + " of " + std::to_string(subject.ranks) + " ranks on " + subject.platform.name() +
                 ": how far from the bound";
  std::optional<Synthesis> made;
  if (plays_forests(subject.collective) && subject.ranks <= most_synthesized) {
    watch.progress("synthesizing " + name);
    const Call rooted = plain_call(q.call, subject.collective, subject.ranks, Bytes(1));
    made = synthesize(subject.collective, forecaster, rooted.root);
  } else {
    answer.notes.push_back(
        "nothing is synthesized: there is a method for allgather, reduce-scatter, allreduce, "
        "broadcast and reduce on at most " +
        std::to_string(most_synthesized) + " ranks");
  }
  Json rows = Json::array();
  Known known;
  for (const Bytes size : q.sizes) {
    if (watch.interrupt && watch.interrupt->load(std::memory_order_relaxed)) {
      answer.notes.push_back("interrupted: what follows was not computed");
      break;
    }
    watch.progress("comparing at " + text::bytes(size.value));
    const Call call =
        plain_call(q.call, subject.collective, subject.ranks, size, forecaster.ranks_per_node());
    const Prediction best = of_catalogue(q, size, known, watch);
    const Bound bound = forecaster.lower_bound(*best.algorithm, call);
    rows.push_back(bound_row(size, bound));
    if (made) rows.push_back(row("synthesized", predict(*made, forecaster, size, by), bound));
    rows.push_back(row("catalogue", best, bound));
    if (q.policy == "fastest") continue;
    const Library::Forecast chosen = library.predict(subject.collective, call, by);
    rows.push_back(row(q.policy, chosen.prediction, bound, chosen.prediction.transport));
  }
  answer.sections.push_back({"gaps", std::move(rows), columns()});
  return answer;
}

report::Report report_of(const Synthesis& s, const Question& q, const Forecaster& forecaster) {
  const Collective collective = s.algorithm.collective;
  const Definition& d = definition(collective);
  const auto bandwidth = [](SecondsPerByte of) { return of.value > 0 ? 1e-9 / of.value : 0.0; };
  const bool holds = !prove(schedule(s.forest, collective, s.root, 1), collective, s.root);
  report::Report answer;
  answer.head = {{"platform", forecaster.machine().platform()},
                 {"collective", d.name},
                 {"ranks", s.forest.ranks},
                 {"root", d.rooted ? Json(s.root) : Json()},
                 {"trees_per_root", s.forest.trees_per_root},
                 {"trees", s.forest.trees.size()},
                 {"depth", s.depth},
                 {"optimum_algbw_GBps", bandwidth(s.optimum)},
                 {"schedule_algbw_GBps", bandwidth(s.busiest)},
                 {"busiest_link", s.busiest_link},
                 {"holds", holds}};
  answer.title = std::string(d.name) + " of " + std::to_string(s.forest.ranks) + " ranks on " +
                 forecaster.machine().platform() + ": " +
                 text::count(static_cast<std::int64_t>(s.forest.trees.size())) + " trees, " +
                 std::to_string(s.forest.trees_per_root) + " a root, at most " + std::to_string(s.depth) +
                 " messages deep; " + (holds ? "proven" : "it does not hold") + "\nlinks allow " +
                 text::gbps(bandwidth(s.optimum)) + " (algbw), the schedule's busiest (" + s.busiest_link +
                 ") " + text::gbps(bandwidth(s.busiest));
  Json rows = Json::array();
  for (const Bytes size : q.sizes)
    for (const char* name : {"path", "contention"}) {
      const Prediction p = predict(s, forecaster, size, engine(name));
      rows.push_back(row("synthesized", p, p.bound));
    }
  std::vector<Column> shown = columns();
  shown[2] = {"segments", [](const Json& r) { return dump(r["segments"]); }};
  answer.sections.push_back({"predictions", std::move(rows), std::move(shown)});
  return answer;
}

}  // namespace collcast
