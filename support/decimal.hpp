// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// Decimal numbers with a point, whatever the locale: in a host program's, printf and strtod may take a comma
/// for it.
namespace collcast::decimal {

/// As printf writes it by "%.*f".
std::string fixed(double x, int decimals);
/// As printf writes it by "%.*e".
std::string scientific(double x, int decimals);
/// As printf writes it by "%.*g".
std::string shortened(double x, int digits);
/// Rounds to so many digits, so that three steps of 0.1 are 0.3.
double rounded(double x, int digits);
/// The number that a text begins with: 0 if it begins with none, infinite if no double can hold it.
double leading(std::string_view text);

}  // namespace collcast::decimal
