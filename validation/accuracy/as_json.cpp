// SPDX-License-Identifier: Apache-2.0
#include "validation/accuracy/as_json.hpp"

#include <cmath>

#include "support/json.hpp"

namespace collcast::accuracy {
namespace {

Json row(const Point& p) {
  return {{"collective", operation(p.measurement)},
          {"algorithm", p.protocol.empty() ? p.algorithm : p.algorithm + " " + p.protocol},
          {"ranks", p.measurement.ranks},
          {"message_bytes", std::llround(p.measurement.message.value)},
          {"measured_s", p.times.measured.value},
          {"predicted_s", p.times.predicted.value},
          {"low_s", p.times.low.value},
          {"high_s", p.times.high.value},
          {"error", p.times.error()},
          {"source", p.measurement.source()}};
}

}  // namespace

Json point_rows(const Comparison& comparison) {
  Json rows = Json::array();
  for (const Point& p : comparison.points) rows.push_back(row(p));
  return rows;
}

Json as_json(const std::vector<const Point*>& points) {
  const Errors e = errors(points);
  return {{"points", e.points},
          {"mean_absolute_error", e.mean_absolute},
          {"geometric_mean_error", e.mean_factor},
          {"geometric_mean_of_errors", e.geometric_mean},
          {"worst", e.worst},
          {"inside_interval", e.inside_interval()}};
}

Json as_json(const Comparison& comparison, const std::string& platform, const std::string& policy) {
  Json answer{{"platform", platform}, {"policy", policy}};
  answer.update(as_json(in_band(comparison.points, 0, true)));
  answer["points"] = point_rows(comparison);
  answer["left_out"] = Json::array();
  for (const auto& [reason, count] : comparison.left_out)
    answer["left_out"].push_back({{"reason", reason}, {"measurements", count}});
  return answer;
}

}  // namespace collcast::accuracy
