// SPDX-License-Identifier: Apache-2.0
#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "support/decimal.hpp"

namespace collcast::text {

namespace {

/// How many decimals show three digits in all: 2 for 1.50, none for 1234.
int digits_behind_point(double x) {
  const std::string text = decimal::scientific(x, 2);  // after rounding: 9.996 has one, as 10.0
  return std::max(0, 2 - std::stoi(text.substr(text.find('e') + 1)));
}

std::string rounded(double x, int digits) {
  return digits > 9 ? decimal::shortened(x, 3) : decimal::fixed(x, digits);
}

}  // namespace

std::string number(double x) {
  if (!std::isfinite(x)) return std::isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
  return x == 0 ? "0" : rounded(x, digits_behind_point(x));
}

std::string plain(double x) {
  return decimal::shortened(x, x == std::floor(x) ? 15 : 6);
}

std::string seconds(double s) {
  if (s == 0) return "0 s";
  for (auto [unit, name] : {std::pair{1.0, " s"}, {1e-3, " ms"}, {1e-6, " us"}})
    if (std::abs(s) >= unit * 0.9995) return number(s / unit) + name;
  return number(s / 1e-9) + " ns";
}

std::string exact(double x) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), x).ptr};
}

std::string bytes(double b) {
  if (!(b > -0x1p63 && b < 0x1p90)) return number(b) + " B";  // too large for the int64_t below
  for (auto [unit, name] : {std::pair{1073741824.0, " GiB"}, {1048576.0, " MiB"}, {1024.0, " KiB"}}) {
    if (b < unit) continue;
    if (std::fmod(b, unit) == 0) return count(static_cast<std::int64_t>(b / unit)) + name;
    const std::string part = rounded(b / unit, std::max(1, digits_behind_point(b / unit)));
    if (part[part.find_last_not_of('0')] != '.' || b >= 0x1p63) return part + name;
    break;  // 1,025 B are not "1.00 KiB"
  }
  return count(static_cast<std::int64_t>(b)) + " B";
}

std::string gbps(double x) {
  return number(x) + " GB/s";
}

std::string count(std::int64_t n) {
  std::string digits = std::to_string(n);
  for (int i = static_cast<int>(digits.size()) - 3; i > (n < 0 ? 1 : 0); i -= 3)
    digits.insert(static_cast<std::size_t>(i), ",");
  return digits;
}

std::string counted(std::int64_t n, const std::string& what) {
  return count(n) + " " + what + (n == 1 ? "" : what.ends_with("ch") ? "es" : "s");
}

std::string percent(double share) {
  return number(100 * share) + " %";
}

std::string signed_percent(double share) {
  return (share > 0 ? "+" : "") + percent(share);
}

std::string shell_quoted(const std::string& word) {
  std::string safe = "'";
  for (const char c : word) safe += c == '\'' ? "'\\''" : std::string(1, c);
  return safe + "'";
}

std::string lower(std::string_view text) {
  std::string all(text);
  for (char& c : all)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return all;
}

}  // namespace collcast::text
