// SPDX-License-Identifier: Apache-2.0
#include "execution/cuda/shared_pages.hpp"

#include <gtest/gtest.h>

namespace collcast::cuda {
namespace {

/// GPU memory may begin right behind pinned memory; taken for it, a peer writes past its own mapping.
TEST(SharedPages, WhatIsBehindAnAllocationIsNotInIt) {
  SharedPages pages;
  const std::byte* begin = pages.allocate(4096);
  EXPECT_EQ(pages.share(begin).kind, Handle::Kind::host);
  EXPECT_EQ(pages.share(begin + 4095).offset, 4095u);
  EXPECT_EQ(pages.share(begin + 4096).kind, Handle::Kind::nothing);
}

/// Else a peer's view would be of memory that nobody uses any more.
TEST(SharedPages, APeersViewStaysRightWhenMemoryIsReleasedAndAskedForAgain) {
  SharedPages pages;
  std::byte* begin = pages.allocate(8000);
  std::byte* view = pages.open(pages.share(begin));
  pages.release(begin);
  std::byte* again = pages.allocate(5000);
  EXPECT_EQ(again, begin);
  EXPECT_EQ(pages.open(pages.share(again)), view);
  *view = std::byte{7};
  EXPECT_EQ(*again, std::byte{7});
}

TEST(SharedPages, WhatNoPeerCanHaveOpenedIsGivenBack) {
  int mapped = 0;
  SharedPages pages([&](std::byte*, std::size_t) { ++mapped; }, [&](std::byte*, std::size_t) { --mapped; });
  pages.release(pages.allocate(4096));
  EXPECT_EQ(mapped, 0);
  std::byte* shared = pages.allocate(4096);
  (void)pages.share(shared);
  pages.release(shared);
  EXPECT_EQ(mapped, 1);
}

TEST(ReleasedMemory, TheSmallestThatIsLargeEnough) {
  std::array<std::byte, 3> at{};
  ReleasedMemory kept;
  kept.keep(&at[0], 4096);
  kept.keep(&at[1], 65536);
  kept.keep(&at[2], 16384);
  EXPECT_EQ(kept.take(8192), &at[2]);
  EXPECT_EQ(kept.take(8192), &at[1]);
  EXPECT_EQ(kept.take(8192), nullptr);
  EXPECT_EQ(ReleasedMemory::rounded(5000, 4096), 8192u);
}

}  // namespace
}  // namespace collcast::cuda
