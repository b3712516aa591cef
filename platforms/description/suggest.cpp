// SPDX-License-Identifier: Apache-2.0
#include "platforms/description/suggest.hpp"

#include <algorithm>

#include "support/edit_distance.hpp"

namespace collcast {

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  for (const std::string& c : candidates)
    if (c.starts_with(word + "_") || c.ends_with("." + word)) return c;
  if (word.size() > 200) return candidates.empty() ? "" : candidates.front();
  const auto best =
      std::ranges::min_element(candidates, {}, [&](const std::string& c) { return edit_distance(word, c); });
  return best == candidates.end() ? "" : *best;
}

std::string join(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& w : words) all += (all.empty() ? "" : ", ") + w;
  return all;
}

}  // namespace collcast
