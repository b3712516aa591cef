// SPDX-License-Identifier: Apache-2.0
#include "algorithms/butterfly.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace collcast {
namespace {

TEST(Butterfly, PeersAreMutualAndStayNear) {
  // Hops round the ring, all steps together; 1 + 1 + 3 of 8 ranks. Recursive doubling takes p - 1.
  const std::vector<std::pair<Rank, Rank>> hops = {{8, 5}, {16, 10}, {32, 21}, {64, 42}};
  for (const auto& [p, expected] : hops) {
    const Butterfly b(p);
    for (Rank r = 0; r < p; ++r) {
      Rank sum = 0;
      for (int s = 0; s < log2_floor(p); ++s) {
        const Rank peer = b.peer(r, s), way = modulo(peer - r, p);
        EXPECT_EQ(b.peer(peer, s), r);
        sum += std::min(way, p - way);
      }
      EXPECT_EQ(sum, expected) << p << " ranks, rank " << r;
    }
  }
}

TEST(Butterfly, PlacesAreAPermutation) {
  const Butterfly b(256);
  for (Rank i = 0; i < 256; ++i)
    EXPECT_EQ(b.place[static_cast<std::size_t>(b.order[static_cast<std::size_t>(i)])], i);
}

}  // namespace
}  // namespace collcast
