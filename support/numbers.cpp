// SPDX-License-Identifier: Apache-2.0
#include "support/numbers.hpp"

#include <cmath>
#include <limits>

#include "support/decimal.hpp"
#include "support/error.hpp"

namespace collcast {

std::int64_t parse_count(const std::string& text, const std::string& what, std::int64_t least,
                         std::int64_t most) {
  const auto value = number_in<std::int64_t>(text);
  if (value && *value >= least && *value <= most) return *value;
  throw InputError(what + " '" + text + "' is not a whole number from " + std::to_string(least) + " to " +
                   std::to_string(most));
}

double parse_number(const std::string& text, const std::string& what, double least, double most) {
  const auto value = number_in<double>(text);
  if (value && std::isfinite(*value) && *value >= least && *value <= most) return *value;
  const bool comma = text.find(',') != std::string::npos;
  throw InputError(
      what + " '" + text + "' is not a " +
      (most < std::numeric_limits<double>::max()
           ? "number from " + decimal::shortened(least, 15) + " to " + decimal::shortened(most, 15)
           : "finite number") +
      (comma ? "; decimals follow a point" : ""));
}

}  // namespace collcast
