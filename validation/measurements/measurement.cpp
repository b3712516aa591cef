// SPDX-License-Identifier: Apache-2.0
#include "validation/measurements/measurement.hpp"

namespace collcast {

bool is_star(const Measurement& m) {
  return m.timing == Timing::fan_out || m.timing == Timing::fan_in || m.timing == Timing::exchange;
}

std::string operation(const Measurement& m) {
  static const char* const names[] = {"latency",  "bandwidth", "both-ways bandwidth", "fan-out", "fan-in",
                                      "exchange", "copy",      "both-ways copy"};
  return m.timing == Timing::collective ? std::string(definition(m.collective).name)
                                        : names[static_cast<std::size_t>(m.timing)];
}

}  // namespace collcast
