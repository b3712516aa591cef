// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "execution/mpi/version.hpp"
#include "support/error.hpp"
#include "tests/execution/mpi/world.hpp"

namespace collcast::mpi {
namespace {

TEST(Version, IsTheProgramsAndTheLibrarys) {
  EXPECT_TRUE(version().starts_with("collcast 0.")) << version();
  EXPECT_NE(version().find(", "), std::string::npos) << version();
  require_same_version(*world());
}

TEST(Version, OfARankDiffers) {
  if (world()->size() == 1) GTEST_SKIP() << "one rank has one version";
  const bool odd = world()->rank() == world()->size() - 1;
  try {
    require_same_version(*world(), odd ? "collcast 2, MPI 5" : "collcast 2, MPI 4");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InputError& e) {
    const std::string words = e.what(), begin = "rank " + std::to_string(world()->size() - 1) + " on ";
    EXPECT_TRUE(words.starts_with(begin)) << words;
    EXPECT_TRUE(words.ends_with(" runs collcast 2, MPI 5, rank 0 collcast 2, MPI 4; all ranks need the same"))
        << words;
  }
}

}  // namespace
}  // namespace collcast::mpi
