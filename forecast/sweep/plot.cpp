// SPDX-License-Identifier: Apache-2.0
#include "forecast/sweep/plot.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "support/error.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace collcast::sweep {
namespace {

bool has_words(const Axis& axis) {
  return !std::ranges::all_of(axis.values,
                              [](const auto& text) { return number_in<double>(text).has_value(); });
}

bool numeric(const Axis& axis) {
  return !has_words(axis) && !axis.is_time;
}

/// How many values an axis has; an interval counts as having more than any list.
std::size_t values(const Axis& axis) {
  return axis.values.empty() ? std::string::npos
                             : std::set<std::string>(axis.values.begin(), axis.values.end()).size();
}

/// The setting's key in rows.
std::string column_of(const std::string& key) {
  return key == "size" ? "message_bytes" : column_name(key);
}

report::Axis axis_of(const std::string& key, const Json& rows) {
  using Scale = report::Axis::Scale;
  if (key == "size" || key == "buffer")
    return {key == "size" ? "message" : key, text::bytes, Scale::octaves, true};
  if (key == "ranks") return {key, text::number, Scale::octaves, true};
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (const Json& r : rows)
    if (const Json& x = r[column_of(key)]; x.is_number())
      least = std::min(least, x.get<double>()), most = std::max(most, x.get<double>());
  return {column_of(key), text::number, least > 0 && most >= 8 * least ? Scale::decades : Scale::linear,
          true};
}

/// What tells curves apart: settings that vary, and the algorithm where a point has several rows.
std::vector<std::string> telling(const Sweep& sweep, const Json& rows, const std::string& across) {
  std::vector<std::string> keys;
  for (const Axis& a : sweep.space().axes())
    if (a.key != across && sweep.space().varies(a.key) && a.key != "algorithm" &&
        (sweep.space().is_grid() || has_words(a)))
      keys.push_back(column_of(a.key));
  std::set<std::int64_t> points;
  for (const Json& r : rows) points.insert(r["point"].get<std::int64_t>());
  if (points.size() < rows.size() || sweep.space().varies("algorithm")) keys.push_back("algorithm");
  return keys;
}

}  // namespace

std::string across(const Space& space, const std::string& over) {
  const Axis* most = nullptr;
  std::string able;
  for (const std::string_view first : {"size", "ranks", ""})
    for (const Axis& a : space.axes()) {
      const bool own = first.empty() ? a.key != "size" && a.key != "ranks" : a.key == first;
      if (!own || !space.varies(a.key) || !numeric(a)) continue;
      const std::string name = column_name(a.key);
      if (!over.empty() && name == over) return a.key;
      able += (able.empty() ? "" : ", ") + name;
      if (!most || values(a) > values(*most)) most = &a;
    }
  if (!most) throw InputError("--plot needs a number that varies, and no setting of this sweep is one");
  if (!over.empty())
    throw InputError("--plot-over '" + over + "' is not a number that varies; these are: " + able);
  return most->key;
}

report::Graph graph(const Sweep& sweep, const Json& rows, const std::string& across) {
  const report::Axis x = axis_of(across, rows);
  report::Axis time = report::time_axis();
  if (sweep.verb().time != "time_s") time.title = "time of a step";
  report::Graph graph{"", x, time,
                      report::curves_of(rows, x, column_of(across), std::string(sweep.verb().time),
                                        telling(sweep, rows, across))};
  if (!sweep.space().is_grid())
    for (report::Curve& c : graph.curves) c.look = report::Curve::Look::points;
  return graph;
}

}  // namespace collcast::sweep
