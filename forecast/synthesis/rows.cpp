// SPDX-License-Identifier: Apache-2.0
#include "forecast/synthesis/rows.hpp"

#include <cmath>

#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast::synthesis {

using report::Column, report::number_of, report::text_of;

Json row(const std::string& what, const Prediction& p, const Bound& bound) {
  return {{"message_bytes", std::llround(p.call.message.value)},
          {"schedule", what},
          {"algorithm", p.algorithm->name},
          {"segments", p.call.segments},
          {"engine", p.engine},
          {"transport", p.transport},
          {"time_s", p.time.value},
          {"low_s", p.low.value},
          {"high_s", p.high.value},
          {"lower_bound_s", bound.time.value},
          {"bound_cut", bound.cut},
          {"ratio", bound.time.value > 0 ? Json(p.time / bound.time) : Json()},
          {"algbw_GBps", p.call.message > Bytes() ? Json(p.algorithm_bandwidth().value / 1e9) : Json()},
          {"limited_by", p.limited_by}};
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

Bound raised_by_prices(Bound bound, Bytes message, const Front& front) {
  if (!front.limit().by_prices) return bound;
  if (const Seconds by_prices = message * *front.limit().by_prices; by_prices > bound.time)
    bound = {by_prices, "links and ports, whatever the ways"};
  return bound;
}

}  // namespace collcast::synthesis
