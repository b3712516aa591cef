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

bool is_place(Rank me, int own, Rank size, Rank distance) {
  return me / distance % size == own;
}

std::vector<Rank> equidistant_group(Rank me, int own, Rank size, Rank world,
                                    const std::function<bool(Rank distance)>& fits) {
  const auto distance = [&]() -> Rank {
    for (const bool of_all : {true, false})
      for (Rank d = 1; own >= 0 && d <= world / size; ++d)
        if (world % (d * size) == 0 && is_place(me, own, size, d) && (!of_all || fits(d))) return d;
    return 0;
  }();
  if (distance > 0) return strided_group(me - own * distance, distance, size, world);
  return strided_group(std::min(me - me % size, world - size), 1, size, world);
}

bool possible_group(const std::vector<Rank>& ranks, Rank own, Rank world) {
  std::vector<Rank> sorted = ranks;
  std::ranges::sort(sorted);
  return std::ranges::binary_search(sorted, own) && sorted.front() >= 0 && sorted.back() < world &&
         std::ranges::adjacent_find(sorted) == sorted.end();
}

}  // namespace collcast
