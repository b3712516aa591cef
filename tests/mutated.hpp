// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <iterator>
#include <random>
#include <string>

namespace collcast {

/// The text with up to four small damages: a character replaced or inserted, a stretch lost or written twice,
/// the end cut off.
inline std::string mutated(const std::string& good, const std::string& alphabet, std::mt19937& random) {
  std::string text = good;
  for (int n = 1 + static_cast<int>(random() % 4); n > 0 && !text.empty(); --n) {
    const std::size_t at = random() % text.size();
    switch (random() % 5) {
      case 0:
        text[at] = alphabet[random() % alphabet.size()];
        break;
      case 1:
        text.insert(at, 1, alphabet[random() % alphabet.size()]);
        break;
      case 2:
        text.erase(at, 1 + random() % 20);
        break;
      case 3:
        text.insert(at, text.substr(random() % text.size(), random() % 80));
        break;
      default:
        text.resize(at + 1);
    }
  }
  return text;
}

/// The text with up to three of its whole numbers replaced by such as programs count wrongly.
inline std::string misnumbered(const std::string& good, std::mt19937& random) {
  constexpr const char* numbers[] = {
      "-5", "-1", "0", "2147483647", "2147483648", "4294967296", "9223372036854775807", "1e300", "NaN"};
  constexpr const char* digits = "0123456789";
  std::string text = good;
  for (int n = 1 + static_cast<int>(random() % 3); n > 0; --n) {
    std::size_t at = text.find_first_of(digits, random() % (text.size() + 1));
    if (at == std::string::npos) at = text.find_first_of(digits);
    if (at == std::string::npos) return text;
    while (at > 0 && std::isdigit(static_cast<unsigned char>(text[at - 1]))) --at;
    const std::size_t end = std::min(text.find_first_not_of(digits, at), text.size());
    text.replace(at, end - at, numbers[random() % std::size(numbers)]);
  }
  return text;
}

}  // namespace collcast
