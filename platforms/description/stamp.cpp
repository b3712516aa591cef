// SPDX-License-Identifier: Apache-2.0
#include "platforms/description/stamp.hpp"

#include <array>

namespace collcast {
namespace {

struct Row {
  const char* name;
  double uncertainty;
};

/// The uncertainty of each stamp, in the order of Stamp; docs/platforms.md gives reasons.
constexpr std::array<Row, 6> table = {{
    {"what-if", 0.0},
    {"measured", 0.02},
    {"calibrated", 0.05},
    {"datasheet", 0.10},
    {"derived", 0.15},
    {"guess", 0.50},
}};

}  // namespace

std::string to_string(Stamp stamp) {
  return table[static_cast<std::size_t>(stamp)].name;
}

std::optional<Stamp> parse_stamp(const std::string& text) {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (text == table[i].name) return static_cast<Stamp>(i);
  return std::nullopt;
}

double uncertainty(Stamp stamp) {
  return table[static_cast<std::size_t>(stamp)].uncertainty;
}

}  // namespace collcast
