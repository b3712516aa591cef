// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace collcast
