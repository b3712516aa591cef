// SPDX-License-Identifier: Apache-2.0
#include "forecast/what_if.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace collcast {
namespace {

std::string exactly(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace

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
  for (const auto& [path, value] : values) assignments.push_back(path + "=" + exactly(value));
  set_all(edited, assignments);
  return edited;
}

}  // namespace collcast
