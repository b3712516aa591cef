// SPDX-License-Identifier: Apache-2.0
#include "forecast/report/tune.hpp"

#include <algorithm>
#include <cmath>

#include "forecast/report/what_if.hpp"
#include "support/interrupt.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast::report {
namespace {

Json row(const Tuned::Point& p) {
  const bool known = p.standard && p.unknown.empty();
  return {{"collective", definition(p.collective).name},
          {"message_bytes", std::llround(p.size.value)},
          {"default", p.standard ? Json(p.standard->name) : Json()},
          {"default_s", known ? Json(p.standard->time.value) : Json()},
          {"best", p.best.name},
          {"time_s", p.best.time.value},
          {"low_s", p.best.low.value},
          {"high_s", p.best.high.value},
          {"regret", known ? Json(p.standard->time / p.best.time - 1) : Json()},
          {"told", p.told}};
}

std::string name_of(const tuner::Rule& r) {
  if (!r.tuned) return "default";
  if (!r.shape.empty()) return r.shape + " " + r.protocol;
  return std::string(r.entry->theirs);
}

Json row(const tuner::Rule& r) {
  return {{"collective", definition(r.collective).name},
          {"from_bytes", r.from},
          {"to_bytes", r.to == tuner::no_end ? Json() : Json(r.to)},
          {"algorithm", name_of(r)},
          {"radix", r.tuned && r.entry && r.entry->radix > 0 ? Json(r.entry->radix) : Json()},
          {"segment_bytes", r.tuned && r.segment > 0 ? Json(r.segment) : Json()},
          {"channels", r.tuned && r.channels > 0 ? Json(r.channels) : Json()}};
}

/// The first size beyond a rule.
std::string below(const Json& rule) {
  return rule["to_bytes"].is_null() ? "any" : text::bytes(rule["to_bytes"].get<double>() + 1);
}

std::string title_of(const Tuned& tuned, const tuner::Format& format) {
  return std::string(format.what) + ", for " + std::to_string(tuned.tuning.ranks) + " ranks on " +
         std::to_string(tuned.tuning.nodes) + (tuned.tuning.nodes == 1 ? " node of " : " nodes of ") +
         tuned.platform;
}

/// The algorithm of the rule, with its segment and channels.
std::string words_of(const tuner::Rule& r) {
  std::string words = name_of(r);
  if (r.tuned && r.segment > 0) words += ", " + text::bytes(static_cast<double>(r.segment));
  if (r.tuned && r.channels > 0)
    words += ", " + std::to_string(r.channels) + (r.channels == 1 ? " channel" : " channels");
  return words;
}

/// Merges neighbouring ranges that the file leaves to the library.
std::vector<tuner::Rule> joined(const std::vector<tuner::Rule>& rules) {
  std::vector<tuner::Rule> all;
  for (const tuner::Rule& r : rules) {
    const bool more = !all.empty() && !r.tuned && !all.back().tuned && all.back().collective == r.collective;
    if (more)
      all.back().to = r.to;
    else
      all.push_back(r);
  }
  return all;
}

Curve::Point point(const Tuned::Point& p, const Tuned::Play& played) {
  return {std::max(1.0, p.size.value), played.time.value, played.low.value, played.high.value};
}

Graph graph(const Tuned& tuned, Collective collective, bool standard_known) {
  Curve standard{"the library's default", {}, Curve::Look::plain};
  Curve then{standard_known ? "with the file (shaded: interval)" : "the fastest that can be told",
             {},
             Curve::Look::band};
  Graph g{std::string(definition(collective).name), size_axis(), time_axis(), {}};
  for (const Tuned::Point& p : tuned.points) {
    if (p.collective != collective) continue;
    const bool priced = p.standard && p.unknown.empty();
    if (priced) standard.points.push_back(point(p, *p.standard));
    if (p.told || priced) then.points.push_back(point(p, p.told ? p.best : *p.standard));
  }
  for (const tuner::Rule& r : joined(tuned.tuning.rules))
    if (r.collective == collective && r.from > 0)
      g.marks.push_back({static_cast<double>(r.from), true, words_of(r)});
  g.curves = {std::move(then), std::move(standard)};
  return g;
}

}  // namespace

Picture picture(const Tuned& tuned, const tuner::Format& format) {
  Picture all{title_of(tuned, format), {}, 1};
  for (const Tuned::Point& p : tuned.points) {
    const std::string name(definition(p.collective).name);
    if (std::ranges::find(all.graphs, name, &Graph::title) == all.graphs.end())
      all.graphs.push_back(graph(tuned, p.collective, !tuned.policy.empty()));
  }
  all.columns = all.graphs.size() < 2 ? 1 : 2;
  return all;
}

Report make(const Tuned& tuned, const tuner::Format& format) {
  Report report;
  report.head = {{"for", format.name},
                 {"platform", tuned.platform},
                 {"policy", tuned.policy.empty() ? Json() : Json(tuned.policy)},
                 {"ranks", tuned.tuning.ranks},
                 {"nodes", tuned.tuning.nodes}};
  report.title = title_of(tuned, format);
  Section points{"points",
                 Json::array(),
                 {text_of("collective", "collective"),
                  number_of("message", "message_bytes", text::bytes),
                  text_of("default", "default"),
                  number_of("time", "default_s", text::seconds),
                  text_of("best", "best"),
                  number_of("time", "time_s", text::seconds),
                  number_of("high", "high_s", text::seconds),
                  number_of("regret", "regret", text::percent),
                  {"in file", [](const Json& r) { return r["told"].get<bool>() ? "yes" : "no"; }}}};
  for (const Tuned::Point& p : tuned.points) points.rows.push_back(row(p));
  Section rules{"rules",
                Json::array(),
                {text_of("collective", "collective"),
                 number_of("from", "from_bytes", text::bytes),
                 {"below", below},
                 text_of("algorithm", "algorithm"),
                 count_of("radix", "radix"),
                 number_of("segment", "segment_bytes", text::bytes),
                 count_of("channels", "channels")}};
  for (const tuner::Rule& r : joined(tuned.tuning.rules)) rules.rows.push_back(row(r));
  report.sections = {std::move(points), std::move(rules)};
  report.remark =
      tuned.policy.empty()
          ? "The file names the fastest algorithm at every size, because the library's default is not known."
          : "The file overrides the default where it takes longer than the best algorithm does at the "
            "slow end of its interval.";
  report.notes = tuned.notes;
  return report;
}

void tell_without_effect(Report& report, const TuneQuestion& q, const Watch& watch) {
  const InterruptedBy user(watch.interrupt);
  tell_without_effect(report, q.set, [&](const std::vector<std::string>& set) {
    TuneQuestion other = q;
    other.set = set;
    return make(tune(other, watch), tuner::format(q.library)).sections[0].rows;
  });
}

Section choices(const Tuned& tuned) {
  Section section{"able",
                  Json::array(),
                  {text_of("collective", "collective"), number_of("message", "message_bytes", text::bytes),
                   text_of("algorithm", "algorithm"), number_of("segment", "segment_bytes", text::bytes),
                   number_of("time", "time_s", text::seconds), number_of("low", "low_s", text::seconds),
                   number_of("high", "high_s", text::seconds), text_of("engine", "engine")}};
  for (const Tuned::Point& p : tuned.points)
    for (const Tuned::Play& a : p.choices)
      section.rows.push_back({{"collective", definition(p.collective).name},
                              {"message_bytes", std::llround(p.size.value)},
                              {"algorithm", a.rule.entry ? std::string(a.rule.entry->theirs) : a.name},
                              {"segment_bytes", a.rule.segment > 0 ? Json(a.rule.segment) : Json()},
                              {"time_s", a.time.value},
                              {"low_s", a.low.value},
                              {"high_s", a.high.value},
                              {"engine", a.engine}});
  return section;
}

}  // namespace collcast::report
