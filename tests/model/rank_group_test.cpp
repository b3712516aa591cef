// SPDX-License-Identifier: Apache-2.0
#include "model/rank_group.hpp"

#include <gtest/gtest.h>

namespace collcast {
namespace {

using Dimensions = std::vector<RankGroup::Dimension>;

TEST(RankGroup, IsFoundFromItsMembers) {
  EXPECT_EQ(group_of({0, 1, 2, 3}, 8)->dimensions, (Dimensions{{4, 1}}));
  EXPECT_EQ(group_of({3, 11, 19}, 24)->dimensions, (Dimensions{{3, 8}}));
  EXPECT_EQ(group_of({5, 4, 13, 12}, 16)->dimensions, (Dimensions{{2, 1}, {2, 8}}));
  EXPECT_TRUE(group_of({7}, 8)->dimensions.empty());
  for (const std::vector<Rank>& uneven : {std::vector<Rank>{0, 1, 3}, {0, 2, 3, 4}, {0, 1, 4, 6}, {2, 2}})
    EXPECT_FALSE(group_of(uneven, 8));
}

}  // namespace
}  // namespace collcast
