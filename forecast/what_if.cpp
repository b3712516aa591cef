// SPDX-License-Identifier: Apache-2.0
#include "forecast/what_if.hpp"

#include <algorithm>
#include <cmath>

#include "support/text.hpp"

namespace collcast {
bool moved(const std::vector<Seconds>& before, const std::vector<Seconds>& after) {
  constexpr double rounding = 1e-9;
  return !std::ranges::equal(before, after, [](Seconds a, Seconds b) {
    return std::abs(a.value - b.value) <= rounding * std::max(a.value, b.value);
  });
}

Description with_values(const Description& platform,
                        const std::vector<std::pair<std::string, double>>& values) {
  Description edited = platform;
  std::vector<std::string> assignments;
  for (const auto& [path, value] : values) assignments.push_back(path + "=" + text::exact(value));
  set_all(edited, assignments);
  return edited;
}

}  // namespace collcast
