// SPDX-License-Identifier: Apache-2.0
#include "model/rank_group.hpp"

#include <gtest/gtest.h>

namespace collcast {
namespace {

using Dimensions = std::vector<RankGroup::Dimension>;

TEST(RankGroup, FillsTheWorldOrNot) {
  EXPECT_TRUE(fill_the_world({{{2, 1}}, 4}));
  EXPECT_TRUE(fill_the_world({{{2, 2}}, 4}));
  EXPECT_TRUE(fill_the_world({{{2, 1}, {3, 4}}, 12}));
  EXPECT_FALSE(fill_the_world({{{2, 3}}, 4}));  // 0 and 3; 1 and 4 would be the next
  EXPECT_FALSE(fill_the_world({{{2, 2}}, 6}));  // 4 and 5 have no partners
  EXPECT_EQ(first_of({{{2, 1}, {3, 4}}, 12}, 9), 0);
  EXPECT_EQ(firsts({{{2, 1}, {3, 4}}, 12}), (std::vector<Rank>{0, 2}));
}

TEST(RankGroup, IsFoundFromItsMembers) {
  EXPECT_EQ(group_of({0, 1, 2, 3}, 8)->dimensions, (Dimensions{{4, 1}}));
  EXPECT_EQ(group_of({3, 11, 19}, 24)->dimensions, (Dimensions{{3, 8}}));
  EXPECT_EQ(group_of({5, 4, 13, 12}, 16)->dimensions, (Dimensions{{2, 1}, {2, 8}}));
  EXPECT_TRUE(group_of({7}, 8)->dimensions.empty());
  for (const std::vector<Rank>& uneven : {std::vector<Rank>{0, 1, 3}, {0, 2, 3, 4}, {0, 1, 4, 6}, {2, 2}})
    EXPECT_FALSE(group_of(uneven, 8));
}

/// Of four ranks on nodes of six, the second group lies on two nodes; of pairs 4 apart some on one.
TEST(RankGroup, LieOnNodesAlikeOrNot) {
  const auto alike = [](Dimensions dimensions, Rank world, Rank node) {
    return alike_on_nodes({std::move(dimensions), world}, node);
  };
  EXPECT_TRUE(alike({{3, 1}}, 24, 6));
  EXPECT_TRUE(alike({{12, 1}}, 24, 6));
  EXPECT_TRUE(alike({{4, 6}}, 24, 6));
  EXPECT_TRUE(alike({{2, 1}, {4, 6}}, 24, 6));
  EXPECT_TRUE(alike({{4, 1}}, 4, 6));
  EXPECT_FALSE(alike({{4, 1}}, 24, 6));
  EXPECT_FALSE(alike({{2, 4}}, 24, 6));
  EXPECT_TRUE(alike({{2, 3}}, 24, 6));
  EXPECT_TRUE(alike({{8, 3}, {2, 24}}, 48, 9));
  EXPECT_TRUE(alike({}, 24, 6));
}

}  // namespace
}  // namespace collcast
