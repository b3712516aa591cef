// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

/// Quantities as text for people.
namespace collcast::text {

/// "1.5 ms": three digits and the unit that fits.
std::string seconds(double s);
/// "64 MiB" if a binary unit divides the size. Otherwise three digits, at least one of them a decimal: "1.50
/// KiB", "931.3 GiB". If all decimals shown would be 0, whole bytes: "1,025 B".
std::string bytes(double b);
/// Three significant digits, or all digits of a longer whole number: "12345".
std::string number(double x);
/// The shortest text that reads back as the same number: "0.1", "1e+300".
std::string exact(double x);
/// Whole numbers to the last digit, "1048577"; others to six digits: "9362.29".
std::string plain(double x);
/// "12.5 GB/s".
std::string gbps(double x);
/// "1,234,567".
std::string count(std::int64_t n);
/// "1 rank", "1,234 ranks", "2 switches".
std::string counted(std::int64_t n, const std::string& what);
/// "1.23 %" for a share of 0.0123.
std::string percent(double share);
/// "+1.23 %".
std::string signed_percent(double share);
/// In single quotes for a shell: "'it'\''s'".
std::string shell_quoted(const std::string& word);
/// ASCII letters in lower case.
std::string lower(std::string_view text);
/// Whether the part is somewhere in the text.
inline bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
/// "a, b, c" for a range of words, or for the `word` of each of its elements.
template <class Range, class Word = std::identity>
std::string join(const Range& range, std::string_view separator = ", ", Word word = {}) {
  std::string all;
  for (const auto& element : range)
    all.append(all.empty() ? std::string_view() : separator).append(std::invoke(word, element));
  return all;
}

}  // namespace collcast::text
