// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/members.hpp"

#include <algorithm>

#include "replay/formats/formats.hpp"

namespace collcast {

Rank possible_rank(std::int64_t n) {
  return n >= 0 && n <= most_recorded_ranks ? static_cast<Rank>(n) : -1;
}

Rank possible_rank(const JsonValue& value) {
  return possible_rank(value.integer().value_or(-1));
}

Rank strided(std::int64_t first, std::int64_t stride, std::int64_t i, Rank world) {
  const auto below_world = [&](std::int64_t n) { return n >= 0 && n < world; };
  if (!below_world(first) || !below_world(i) || stride <= 0 || !below_world(stride)) return -1;
  const std::int64_t rank = first + i * stride;
  return below_world(rank) ? static_cast<Rank>(rank) : -1;
}

std::vector<Rank> strided_group(std::int64_t first, std::int64_t stride, std::int64_t count, Rank world) {
  if (strided(first, stride, count - 1, world) < 0) return {};
  std::vector<Rank> ranks;
  for (std::int64_t i = 0; i < count; ++i) ranks.push_back(strided(first, stride, i, world));
  return ranks;
}

bool possible_group(const std::vector<Rank>& ranks, Rank own, Rank world) {
  std::vector<Rank> sorted = ranks;
  std::ranges::sort(sorted);
  return std::ranges::binary_search(sorted, own) && sorted.front() >= 0 && sorted.back() < world &&
         std::ranges::adjacent_find(sorted) == sorted.end();
}

}  // namespace collcast
