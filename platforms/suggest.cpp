// SPDX-License-Identifier: Apache-2.0
#include "platforms/suggest.hpp"

#include <algorithm>
#include <numeric>

namespace collcast {

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

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
