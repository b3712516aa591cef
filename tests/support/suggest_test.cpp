// SPDX-License-Identifier: Apache-2.0
#include "support/suggest.hpp"

#include <gmock/gmock.h>

#include "support/edit_distance.hpp"

namespace collcast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Suggest, CountsLetters) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
}

TEST(Suggest, WordsThatAreAlike) {
  EXPECT_THAT(alike("predit", {"prove", "predict", "record"}), ElementsAre("predict"));
  EXPECT_THAT(alike("latency", {"late", "latency_us"}), ElementsAre("latency_us"));
  EXPECT_THAT(alike("network.bandwith", {"network.kind", "network.bandwidth_GBps"}),
              ElementsAre("network.bandwidth_GBps"));
  EXPECT_THAT(alike("bandwith", {"network.kind", "network.bandwidth_GBps"}),
              ElementsAre("network.bandwidth_GBps"));
  EXPECT_THAT(alike("nccl", {"mpich", "nccl-2.7", "nccl-2.8"}), ElementsAre("nccl-2.7", "nccl-2.8"));
  EXPECT_THAT(alike("nccl-2.81", {"nccl-2.7", "nccl-2.8", "nccl-2.21"}), ElementsAre("nccl-2.8"));
  EXPECT_THAT(alike("Recursive_Doubling", {"ring", "recursive-doubling"}), ElementsAre("recursive-doubling"));
  EXPECT_THAT(alike("tree", {"ring", "double-tree"}), ElementsAre("double-tree"));
}

TEST(Suggest, WordsThatAreNot) {
  EXPECT_THAT(alike("nosuch", {"flat", "summit", "localhost"}), IsEmpty());
  EXPECT_THAT(alike("x", {}), IsEmpty());
  EXPECT_THAT(alike("", {"a"}), IsEmpty());
  EXPECT_THAT(alike(std::string(100000, 'a'), {"a"}), IsEmpty());
}

TEST(Suggest, SaysWhatIsMeantOrWhatThereIs) {
  EXPECT_EQ(suggestion("rin", {"ring", "tree"}), "; did you mean 'ring'?");
  EXPECT_EQ(suggestion("nosuch", {"ring", "tree"}), "; expected one of: ring, tree");
  EXPECT_EQ(suggestion("openmpi", {"openmpi-4.0", "openmpi-4.1"}),
            "; did you mean 'openmpi-4.0' or 'openmpi-4.1'?");
  EXPECT_EQ(did_you_mean("gpu", {"gpu0", "gpu1", "gpu2", "gpu3", "gpu4"}, ""),
            "did you mean gpu0, gpu1, ... or gpu4?");
}

}  // namespace
}  // namespace collcast
