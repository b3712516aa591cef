// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace collcast {

/// Adds a note, unless it is empty or there already.
inline void add_once(std::vector<std::string>& notes, std::string words) {
  if (!words.empty() && std::ranges::find(notes, words) == notes.end()) notes.push_back(std::move(words));
}

}  // namespace collcast
