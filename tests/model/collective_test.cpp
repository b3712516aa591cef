// SPDX-License-Identifier: Apache-2.0
#include "model/collective.hpp"

#include <gtest/gtest.h>

namespace collcast {
namespace {

TEST(Grid, IsAsCubicAsTheRanksDivide) {
  EXPECT_EQ(Grid(64, 3).size, (std::array<Rank, 3>{4, 4, 4}));
  EXPECT_EQ(Grid(12, 2).size, (std::array<Rank, 3>{4, 3, 1}));
  EXPECT_EQ(Grid(7, 3).size, (std::array<Rank, 3>{7, 1, 1}));
  EXPECT_EQ(Grid(5, 1).size, (std::array<Rank, 3>{5, 1, 1}));
}

TEST(Grid, NeighboursLookAtEachOther) {
  for (Rank p = 1; p <= 64; ++p)
    for (int d = 1; d <= 3; ++d) {
      const Grid grid(p, d);
      EXPECT_EQ(grid.size[0] * grid.size[1] * grid.size[2], p);
      for (Rank r = 0; r < p; ++r)
        for (int f = 0; f < grid.faces(); ++f)
          EXPECT_EQ(grid.neighbour(grid.neighbour(r, f), f ^ 1), r) << p << " ranks, " << d << " dimensions";
    }
}

TEST(Grid, TheLastDimensionRunsFastest) {
  const Grid grid(12, 2);  // 4 rows of 3
  EXPECT_EQ(grid.neighbour(0, 1), 3);
  EXPECT_EQ(grid.neighbour(0, 3), 1);
  EXPECT_EQ(grid.neighbour(0, 2), 2);
}

}  // namespace
}  // namespace collcast
