// SPDX-License-Identifier: Apache-2.0
#include "model/sizes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace collcast {

Bytes parse_size(const std::string& text, const std::string& what) {
  static constexpr std::pair<const char*, double> units[] = {{"", 1},
                                                             {"B", 1},
                                                             {"KiB", 1024.0},
                                                             {"MiB", 1048576.0},
                                                             {"GiB", 1073741824.0},
                                                             {"TiB", 1099511627776.0},
                                                             {"k", 1024.0},
                                                             {"K", 1024.0},
                                                             {"m", 1048576.0},
                                                             {"M", 1048576.0},
                                                             {"g", 1073741824.0},
                                                             {"G", 1073741824.0},
                                                             {"kB", 1e3},
                                                             {"KB", 1e3},
                                                             {"MB", 1e6},
                                                             {"GB", 1e9},
                                                             {"TB", 1e12}};
  if (text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9')
    throw InputError(what + " '" + text + "' begins with 0; commas stand between sizes, not in one");
  if (const auto number = leading_number<double>(text); number && number->value >= 0)
    for (const auto& [name, factor] : units)
      if (number->rest == name && number->value * factor <= largest_size.value) {
        if (factor == 1 && number->value != std::floor(number->value))
          throw InputError(what + " '" + text + "' is no whole number of bytes");
        return Bytes(std::floor(number->value * factor));
      }
  throw InputError(what + " '" + text + "' is not understood; sizes are like 1024, 64KiB, 1.5MiB, 100MB" +
                   (text.find(',') == std::string::npos ? "" : ", with a decimal point"));
}

std::string decimal_comma(const std::vector<std::string>& list) {
  if (list.size() != 2) return {};
  const std::string &whole = list[0], &fraction = list[1];
  const std::size_t digits = std::min(fraction.find_first_not_of("0123456789"), fraction.size());
  if (whole.empty() || whole.size() > 6 || whole.find_first_not_of("0123456789") != whole.npos ||
      digits == 0 || digits > 3)
    return {};
  const bool is_fraction = fraction[digits - 1] == '5', has_unit = digits < fraction.size();
  if (has_unit && fraction.find_first_not_of("kKmMgGTiB", digits) != fraction.npos) return {};
  const bool ascends =
      !has_unit && whole != "0" && std::pair(whole.size(), whole) <= std::pair(fraction.size(), fraction);
  if (!is_fraction || ascends || fraction.substr(digits) == "B") return {};
  return whole + "," + fraction + " is two values, " + whole + " and " + fraction +
         "; a decimal point is a dot: " + whole + "." + fraction;
}

void check_size(Bytes size, const std::string& what) {
  if (!(size >= Bytes() && size <= largest_size))
    throw InputError(what + " must be from 0 to 1e18 bytes, got " + text::number(size.value));
}

}  // namespace collcast
