// SPDX-License-Identifier: Apache-2.0
#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace collcast::text {

std::string number(double x) {
  if (!std::isfinite(x)) return std::isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
  if (x == 0) return "0";
  const int digits = std::max(0, 2 - static_cast<int>(std::floor(std::log10(std::abs(x)))));
  std::array<char, 64> text{};
  if (digits > 9)
    std::snprintf(text.data(), text.size(), "%.3g", x);
  else
    std::snprintf(text.data(), text.size(), "%.*f", digits, x);
  return text.data();
}

std::string plain(double x) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), x == std::floor(x) ? "%.15g" : "%.6g", x);
  return text.data();
}

std::string seconds(double s) {
  if (s == 0) return "0 s";
  for (auto [unit, name] : {std::pair{1.0, " s"}, {1e-3, " ms"}, {1e-6, " us"}})
    if (std::abs(s) >= unit * 0.9995) return number(s / unit) + name;
  return number(s / 1e-9) + " ns";
}

std::string bytes(double b) {
  if (!(b > -0x1p63 && b < 0x1p90)) return number(b) + " B";  // whole numbers below are of 63 bits
  for (auto [unit, name] : {std::pair{1073741824.0, " GiB"}, {1048576.0, " MiB"}, {1024.0, " KiB"}}) {
    if (b < unit) continue;
    if (std::fmod(b, unit) == 0) return count(static_cast<std::int64_t>(b / unit)) + name;
    const std::string rounded = number(b / unit);
    if (!rounded.ends_with(".00")) return rounded + name;
    break;  // 1,025 B are no KiB
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

}  // namespace collcast::text
