// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "algorithms/exchange/msccl.hpp"
#include "support/error.hpp"
#include "tests/shared_data.hpp"

namespace collcast {
namespace {

std::filesystem::path files() {
  return shared_data("traces/msccl_xml");
}

/// What is known of each file from its name: ranks, collective, steps of the algorithm on one channel.
struct Expected {
  const char* file;
  Collective collective;
  Rank ranks;
  std::int64_t steps;
};

class RealFile : public ::testing::TestWithParam<Expected> {};

TEST_P(RealFile, IsImportedAndProven) {
  const auto path = files() / GetParam().file;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent; set COLLCAST_DATA";
  const ImportedAlgorithm a = read_algorithm(path.string());
  EXPECT_FALSE(a.wrong) << a.wrong->words();
  EXPECT_EQ(a.algorithm.collective, GetParam().collective);
  EXPECT_EQ(a.ranks, GetParam().ranks);
  const Schedule schedule = a.algorithm.schedule({});
  EXPECT_EQ(schedule.steps, GetParam().steps);
  EXPECT_EQ(a.unused_messages, 0);
  EXPECT_FALSE(prove(schedule, a.algorithm.collective, a.root));
  // On the wire: 2 (p-1) n for an allreduce, (p-1) n for an alltoall, whose blocks make p n together.
  const Traffic t = traffic(schedule);
  const Block p = a.ranks, whole = schedule.blocks;
  EXPECT_EQ(t.blocks,
            a.algorithm.collective == Collective::alltoall ? (p - 1) * whole / p : 2 * (p - 1) * whole);
}

INSTANTIATE_TEST_SUITE_P(
    Msccl, RealFile,
    ::testing::Values(Expected{"msccltools_ap1_nop.xml.gz", Collective::allreduce, 8, 2},
                      Expected{"msccltools_experiments_ar_ap_4.xml.gz", Collective::allreduce, 8, 2},
                      Expected{"msccltools_experiments_ar_ring_1_8.xml.gz", Collective::allreduce, 8, 14},
                      Expected{"msccltools_experiments_ar_ring_4_4.xml.gz", Collective::allreduce, 8, 14},
                      Expected{"msccltools_experiments_ar_ring_8_1.xml.gz", Collective::allreduce, 8, 14},
                      Expected{"rccl_allreduce-allpairs-8n-ll-32tb.xml.gz", Collective::allreduce, 8, 2},
                      Expected{"rccl_allreduce-allpairs-8n-simple.xml.gz", Collective::allreduce, 8, 2},
                      Expected{"rccl_alltoall-8n-0-9kb.xml.gz", Collective::alltoall, 8, 1},
                      Expected{"rccl_alltoall-8n-7mb-43mb.xml.gz", Collective::alltoall, 8, 1}));

// Its fused steps receive one chunk and add it to another: gpu 6 sends i[5] to gpu 2, whose rrs adds it to
// i[5] and sends the sum to gpu 6, whose rrs adds that to i[4].
TEST(RealFiles, OneIsWrong) {
  const auto path = files() / "msccltools_experiments_ar_multi_ar_2.xml.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent; set COLLCAST_DATA";
  const ImportedAlgorithm a = read_algorithm(path.string());
  ASSERT_TRUE(a.wrong);
  EXPECT_NE(a.wrong->what.find("is reduced with block"), std::string::npos) << a.wrong->words();
}

TEST(RealFiles, OneHasNoDefinition) {
  const auto path = files() / "msccltools_experiments_alltonext_2in.xml.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is absent; set COLLCAST_DATA";
  try {
    read_algorithm(path.string());
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("collective 'custom' has no definition"), std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace collcast
