// SPDX-License-Identifier: Apache-2.0
#include "replay/application/report.hpp"

#include <algorithm>
#include <cmath>

#include "support/json.hpp"

namespace collcast::report {

Json totals(const ReplayReport& r) {
  return {{"time_s", r.time.value},
          {"low_s", r.low.value},
          {"high_s", r.high.value},
          {"lower_bound_s", r.lower_bound.value},
          {"compute_s", r.compute.value},
          {"communication_s", std::max(r.communication, r.exposed).value},
          {"communication_under_way_s", r.communication.value},
          {"exposed_communication_s", r.exposed.value},
          {"idle_s", r.idle.value},
          {"limited_by", r.limited_by},
          {"limited_by_share", r.limited_by_share ? Json(*r.limited_by_share) : Json()},
          {"calibrated", r.calibrated},
          {"recorded_time_s", r.recorded > Seconds() ? Json(r.recorded.value) : Json()}};
}

Json operations(const ReplayReport& r) {
  Json rows = Json::array();
  for (const ReplayReport::Operation& o : r.operations)
    rows.push_back({{"operation", o.name},
                    {"count", o.count},
                    {"bytes", std::llround(o.bytes.value)},
                    {"time_s", o.time.value},
                    {"recorded_s", o.recorded < Seconds() ? Json() : Json(o.recorded.value)},
                    {"algorithm", o.algorithm.empty() ? Json() : Json(o.algorithm)}});
  return rows;
}

Json rows_of(const std::vector<Loss>& losses) {
  Json rows = Json::array();
  const auto known = [](double value) { return value > 0 ? Json(value) : Json(); };
  for (const Loss& l : losses)
    rows.push_back({{"operation", l.operation},
                    {"count", l.count},
                    {"reason", l.reason},
                    {"time_s", known(l.time_s)},
                    {"share", known(l.share)}});
  return rows;
}

}  // namespace collcast::report
