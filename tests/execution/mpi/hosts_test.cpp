// SPDX-License-Identifier: Apache-2.0
#include "cli/measure/hosts.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace collcast::mpi {
namespace {

using Names = std::vector<std::string>;

TEST(Hosts, OfTheRanksThatPlay) {
  const Names four{"a", "a", "b", "b"};
  EXPECT_EQ(count(four), 2);
  EXPECT_EQ(count(std::span(four).first(2)), 1);
  EXPECT_EQ(count_of_pairs(four, 2), 2);
  EXPECT_EQ(count_of_pairs(Names{"a", "b", "a", "c"}, 1), 1);
  EXPECT_EQ(count_of_pairs(Names{"a", "a", "a", "a"}, 2), 1);
  EXPECT_EQ(count_of_pairs(Names{"a", "b", "c", "d"}, 2), 4);
}

TEST(Hosts, OfPairsThatAreNotAlikeAreRefused) {
  for (const Names& hosts : {Names{"a", "a", "a", "b"}, Names{"a", "b", "a", "b"}})
    EXPECT_THROW(count_of_pairs(hosts, 2), InputError);
}

}  // namespace
}  // namespace collcast::mpi
