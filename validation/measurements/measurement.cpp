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

std::string other_release(const std::vector<Measurement>& measurements, std::string_view policy) {
  constexpr std::string_view before = "nccl-tests, NCCL ";
  for (const Measurement& m : measurements) {
    if (!m.library.starts_with(before) || policy.starts_with("rccl")) continue;
    const std::string ran = m.library.substr(before.size()),
                      named = "nccl-" + ran.substr(0, ran.find('.', ran.find('.') + 1));
    if (policy.substr(0, policy.find(':')) != named)
      return m.file + " says that NCCL " + ran + " ran: that is --policy " + named + ", not " +
             std::string(policy);
  }
  return {};
}

}  // namespace collcast
