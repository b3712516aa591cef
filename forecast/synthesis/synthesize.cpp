// SPDX-License-Identifier: Apache-2.0
#include "forecast/synthesis/synthesize.hpp"

#include <algorithm>
#include <set>

#include "algorithms/exchange/forest_file.hpp"
#include "algorithms/exchange/listing_file.hpp"
#include "engines/engine.hpp"
#include "forecast/report/what_if.hpp"
#include "forecast/synthesis/rows.hpp"
#include "forecast/synthesis/schedule_in_xml.hpp"
#include "model/critical_path.hpp"
#include "model/load.hpp"
#include "model/proof.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/paths.hpp"
#include "support/interrupt.hpp"
#include "support/json.hpp"
#include "support/notes.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

using report::Column, report::count_of, report::text_of;

/// Three factors of the time over the bound. Links: how much longer than the bound the schedule keeps its
/// busiest link busy. Ports: how much longer than that its busiest port is busy, as messages may be slower
/// than links. Waiting: the rest, latency included.
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

std::vector<Column> columns_with_losses() {
  std::vector<Column> columns = synthesis::columns();
  columns[1] = text_of("schedule", "algorithm");
  columns[2] = count_of("segments", "segments");
  for (const char* part : {"waiting", "ports", "links"})
    columns.insert(columns.begin() + 6,
                   {part, [part](const Json& r) {
                      return r["lost"].is_null() ? "-" : text::number(r["lost"][part].get<double>());
                    }});
  return columns;
}

/// Adds the time per byte that the links allow, and that of the best schedule for large messages.
void add_limit(report::Report& answer, const Limit& limit) {
  const auto bandwidth = [](SecondsPerByte of) { return of.value > 0 ? 1e-9 / of.value : 0.0; };
  answer.head["optimum_algbw_GBps"] = limit.optimum ? Json(bandwidth(*limit.optimum)) : Json();
  answer.head["schedule_algbw_GBps"] = limit.optimum ? Json(bandwidth(limit.on_links.busiest)) : Json();
  answer.head["busiest_link"] = limit.optimum ? Json(limit.on_links.where) : Json();
  if (!limit.optimum || !(limit.optimum->value > 0)) return;
  // Prices may know more than the cut, and for an alltoall they are all that is known.
  const bool by_prices = limit.by_prices && *limit.by_prices >= *limit.optimum;
  const Reached& reached = by_prices ? limit.on_both : limit.on_links;
  answer.title += (by_prices ? "\nlinks and ports allow " : "\nlinks allow ") +
                  text::gbps(bandwidth(by_prices ? *limit.by_prices : *limit.optimum)) + " (algbw); " +
                  reached.name + " reaches " + text::gbps(bandwidth(reached.busiest)) +
                  (by_prices ? " on its busiest link or port (" : " on its busiest link (") + reached.where +
                  ")";
}

report::Report made(Front& front, const Question& q, const Forecaster& forecaster) {
  const Definition& d = definition(front.collective());
  Json rows = Json::array(), schedules = Json::array();
  report::Report answer;
  answer.title = std::string(d.name) + " of " + std::to_string(front.ranks()) + " ranks on " +
                 forecaster.machine().platform();
  if (q.transport) answer.title += ", transport " + forecaster.transport().name();
  std::set<const SynthesizedSchedule*> shown;
  bool all_hold = true;
  for (const Bytes size : q.sizes) {
    const Front::Fastest fastest = front.fastest(size, engine("contention"));
    for (const char* name : {"path", "contention"}) {
      const Prediction& p = fastest.prediction;
      const Prediction by = forecaster.predict(*p.algorithm, p.call, engine(name));
      const Bound bound = synthesis::raised_by_prices(by.bound, size, front);
      rows.push_back(synthesis::row("synthesized", by, bound));
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
  add_limit(answer, front.limit());
  answer.notes = front.notes();
  answer.sections.push_back({"predictions", std::move(rows), columns_with_losses()});
  answer.remark =
      "x bound = links x ports x waiting. links: how much more the busiest link carries\n"
      "than the bound's cut asks of it. ports: how much slower the messages of the\n"
      "busiest port are than their links. waiting: the rest, latency included.";
  return answer;
}

std::string json(const Front::Fastest& fastest, Rank root, const std::string& platform) {
  Algorithm a = fastest.schedule->algorithm;
  a.best_segments = {fastest.prediction.call.message, fastest.prediction.call.segments};
  const auto written = [&](const auto& plan) {
    if constexpr (std::is_same_v<std::decay_t<decltype(plan)>, Forest>)
      return write_forest(plan, a.collective, root, platform, a.best_segments);
    else
      return write_listing(plan, a, root, platform);
  };
  return std::visit(written, fastest.schedule->plan);
}

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

Synthesized synthesize(const Question& q, std::int64_t trees, ScheduleFile file, const Watch& watch) {
  const Collective collective = definition(q.collectives.at(0)).collective;
  const Rank ranks = q.ranks.at(0);
  const Rank root = plain_call(q.call, collective, ranks, Bytes(1)).root;
  if (q.transport) check_memory(*q.transport, q.memory);
  const auto stopped = [&] { return watch.interrupt && *watch.interrupt; };
  const auto with = [&](const std::vector<std::string>& set, auto&& made_of) {
    Description platform = load_platform(q.platforms.at(0));
    set_all(platform, set);
    const Forecaster forecaster(platform, ranks, parse_placement(q.placement), q.memory, 0, q.transport);
    watch.progress("synthesizing " + q.collectives.at(0));
    Front front(collective, forecaster, root, trees, stopped);
    return made_of(platform, front, forecaster);
  };
  Synthesized answer = with(q.set, [&](const Description& platform, Front& front, const Forecaster& there) {
    Synthesized all{made(front, q, there), true, {}};
    all.holds = all.report.head["holds"].get<bool>();
    for (const std::string& words : notes_on_settings(platform)) add_once(all.report.notes, words);
    if (file == ScheduleFile::none) return all;
    const Bytes largest = std::ranges::max(q.sizes);
    all.file = file == ScheduleFile::json
                   ? json(front.fastest(largest, engine("contention")), root, there.machine().platform())
                   : msccl(front, largest, there, all.report.notes);
    return all;
  });
  for (const std::string& words : untaken(q.call, collective, {})) add_once(answer.report.notes, words);
  const InterruptedBy user(watch.interrupt);
  report::tell_without_effect(answer.report, q.set, [&](const std::vector<std::string>& set) {
    return with(set, [&](const Description&, Front& front, const Forecaster& there) {
      return made(front, q, there).sections[0].rows;
    });
  });
  return answer;
}

}  // namespace collcast
