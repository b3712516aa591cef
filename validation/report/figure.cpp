// SPDX-License-Identifier: Apache-2.0
#include "validation/report/figure.hpp"

#include <algorithm>
#include <tuple>

#include "support/text.hpp"

namespace collcast::report {
namespace {

using Panel = std::tuple<std::size_t, Collective, Rank, Rank>;     // folder, collective, ranks, jobs
using Curves = std::map<std::string, std::vector<const Result*>>;  // by algorithm

std::map<Panel, Curves> panels(const Results& results) {
  std::map<Panel, Curves> all;
  for (const Result& r : results.all)
    all[{r.folder, r.point.collective, r.point.ranks(), r.point.jobs}][algorithm_label(r.point)].push_back(
        &r);
  return all;
}

std::string title(const Panel& panel, const Results& results) {
  const auto& [folder, collective, ranks, jobs] = panel;
  std::string text = std::string(definition(collective).name) + ", " + std::to_string(ranks) + " ranks";
  if (jobs > 1) text += " in " + std::to_string(jobs) + " jobs";
  if (results.folders.size() > 1) text += " (" + folder_name(results, folder) + ")";
  return text;
}

double bytes_of(const Result& r) {
  return std::max(1.0, r.point.call.message.value);
}

Curve::Point measured(const std::string& name, const Result& r) {
  const double x = bytes_of(r);
  return {x, r.measured_s, r.low_s, r.high_s,
          name + ", measured: " + text::bytes(x) + ", " + text::seconds(r.measured_s)};
}

/// The times of a panel: points are measured, lines predicted; and the ratios of both.
std::pair<Graph, Graph> graphs(const std::string& heading, const Curves& curves, const std::string& engine) {
  Graph times{heading + ": times (points: measured)", size_axis(), time_axis(), {}};
  Graph ratios{heading + ": predicted over measured",
               size_axis(),
               {"predicted / measured", text::number},
               {},
               {{1, false, ""}}};
  for (const auto& [name, results] : curves) {
    Curve points{name, {}, Curve::Look::points}, line{name + ", predicted", {}, Curve::Look::plain, true};
    Curve ratio{name, {}};
    for (const Result* r : results) {
      points.points.push_back(measured(name, *r));
      const auto found = r->predicted_s.find(engine);
      if (found == r->predicted_s.end()) continue;
      const double x = bytes_of(*r), p = found->second;
      line.points.push_back({x, p, p, p});
      ratio.points.push_back({x, p / r->measured_s, p / r->high_s, p / r->low_s});
    }
    times.curves.push_back(std::move(points));
    times.curves.push_back(std::move(line));
    ratios.curves.push_back(std::move(ratio));
  }
  return {std::move(times), std::move(ratios)};
}

}  // namespace

Picture picture(const Results& results, const std::string& engine) {
  Picture all{"", {}, 2};
  for (const auto& [panel, curves] : panels(results)) {
    auto [times, ratios] = graphs(title(panel, results), curves, engine);
    all.graphs.push_back(std::move(times));
    all.graphs.push_back(std::move(ratios));
  }
  return all;
}

std::vector<Figure> figures(const Results& results, const std::string& engine) {
  std::vector<Figure> all;
  for (const Graph& g : picture(results, engine).graphs)
    if (std::ranges::any_of(g.curves, [](const Curve& c) { return !c.points.empty(); }))
      all.push_back(chart(g));
  return all;
}

}  // namespace collcast::report
