// SPDX-License-Identifier: Apache-2.0
#include "validation/measurements/measurement.hpp"

namespace collcast {

std::string operation(const Measurement& m) {
  static const char* const names[] = {"latency", "bandwidth", "both-ways bandwidth", "copy",
                                      "both-ways copy"};
  return m.timing == Timing::collective ? std::string(definition(m.collective).name)
                                        : names[static_cast<std::size_t>(m.timing)];
}

}  // namespace collcast
