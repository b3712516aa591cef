// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "execution/check/values.hpp"

namespace collcast::mpi {
namespace {

TEST(Values, BytesOfManyRanksAreNotAllAlikeAndTheirSumFits) {
  for (const int ranks : {1, 100, 127, 128, 200, 255, 256, 300, 1000}) {
    std::set<int> sums;
    for (std::size_t i = 0; i < 2000; ++i) {
      int sum = 0;
      for (int rank = 0; rank < ranks; ++rank) sum += value<std::uint8_t>(rank, i, ranks);
      EXPECT_LE(sum, 255) << ranks << " ranks, element " << i;
      sums.insert(sum);
    }
    EXPECT_GT(sums.size(), 20u) << ranks << " ranks";
  }
}

TEST(Values, BytesThatAreMovedAloneTellRanksApart) {
  for (int rank = 1; rank < 300; ++rank) {
    int alike = 0;
    for (std::size_t i = 0; i < 1000; ++i)
      alike += value<std::uint8_t>(rank, i, 1) == value<std::uint8_t>(0, i, 1);
    EXPECT_LT(alike, 100) << "rank " << rank;
  }
}

TEST(Values, OfInt32FitInSumsAndAreFilledIn) {
  std::byte buffer[8];
  fill(buffer, 8, true, 7, 300);
  std::int32_t second = 0;
  std::memcpy(&second, buffer + 4, 4);
  EXPECT_EQ(second, value<std::int32_t>(7, 1, 300));
  EXPECT_LT(second, std::numeric_limits<std::int32_t>::max() / 300);
  fill(buffer, 8, false, 7, 300);
  EXPECT_EQ(std::to_integer<int>(buffer[7]), value<std::uint8_t>(7, 7, 300));
  EXPECT_NE(std::to_integer<int>(buffer[7]), 0);
}

}  // namespace
}  // namespace collcast::mpi
