// SPDX-License-Identifier: Apache-2.0
#include "support/decimal.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace collcast::decimal {
namespace {

std::string written(double x, std::chars_format format, int digits) {
  std::array<char, 512> text{};  // the longest is 1e308 with its decimals
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), x, format, digits);
  return {text.data(), end};
}

}  // namespace

std::string fixed(double x, int decimals) {
  return written(x, std::chars_format::fixed, decimals);
}

std::string scientific(double x, int decimals) {
  return written(x, std::chars_format::scientific, decimals);
}

std::string shortened(double x, int digits) {
  return written(x, std::chars_format::general, digits);
}

double rounded(double x, int digits) {
  return leading(shortened(x, digits));
}

double leading(std::string_view text) {
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  return error == std::errc::result_out_of_range ? HUGE_VAL : x;
}

}  // namespace collcast::decimal
