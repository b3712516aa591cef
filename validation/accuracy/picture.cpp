// SPDX-License-Identifier: Apache-2.0
#include "validation/accuracy/picture.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "support/text.hpp"

namespace collcast::accuracy {
namespace {

using report::Curve, report::Graph;
using Panel = std::pair<std::string, Rank>;  // operation and ranks
using Named = std::map<std::string, std::vector<const Point*>>;

std::string name_of(const Measurement& m, bool several_files) {
  std::string name;
  for (const std::string& part :
       {m.algorithm, m.settings, several_files ? std::filesystem::path(m.file).filename().string() : ""})
    if (!part.empty()) name += (name.empty() ? "" : ", ") + part;
  return name;
}

std::pair<Graph, Graph> graphs(const Panel& panel, const Named& curves) {
  const auto& [operation, ranks] = panel;
  const std::string heading =
      operation + (ranks > 0 ? ", " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks") : "");
  Graph times{heading + ": times (points: measured, shaded: predicted)",
              report::size_axis(),
              report::time_axis(),
              {}};
  Graph ratios{heading + ": predicted over measured",
               report::size_axis(),
               {"predicted / measured", text::number},
               {},
               {{1, false, ""}}};
  for (const auto& [name, points] : curves) {
    const std::string shown = name.empty() ? operation : name;
    Curve measured{shown, {}, Curve::Look::points}, predicted{shown, {}, Curve::Look::band, true};
    Curve ratio{shown, {}};
    for (const Point* p : points) {
      const double x = std::max(1.0, p->measurement.message.value), m = p->times.measured.value,
                   y = p->times.predicted.value, low = p->times.low.value, high = p->times.high.value;
      measured.points.push_back({x, m, m, m});
      predicted.points.push_back({x, y, low, high});
      ratio.points.push_back({x, y / m, low / m, high / m});
    }
    for (Curve* c : {&measured, &predicted, &ratio})
      std::ranges::stable_sort(c->points, {}, &Curve::Point::x);
    times.curves.push_back(std::move(measured));
    times.curves.push_back(std::move(predicted));
    ratios.curves.push_back(std::move(ratio));
  }
  return {std::move(times), std::move(ratios)};
}

}  // namespace

report::Picture picture(const Comparison& comparison) {
  std::map<Panel, std::set<std::string>> files;
  const auto panel = [](const Point& p) { return Panel(operation(p.measurement), p.measurement.ranks); };
  for (const Point& p : comparison.points) files[panel(p)].insert(p.measurement.file);
  std::map<Panel, Named> panels;
  for (const Point& p : comparison.points)
    panels[panel(p)][name_of(p.measurement, files[panel(p)].size() > 1)].push_back(&p);
  report::Picture all{"", {}, 2};
  for (const auto& [of, curves] : panels) {
    auto [times, ratios] = graphs(of, curves);
    all.graphs.push_back(std::move(times));
    all.graphs.push_back(std::move(ratios));
  }
  return all;
}

}  // namespace collcast::accuracy
