// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <map>

#include "support.hpp"
#include "tests/shared_data.hpp"

namespace collcast {
namespace {

namespace fs = std::filesystem;

class Published : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = shared_data("measurements");
    if (!fs::exists(folder_)) GTEST_SKIP() << folder_ << " is absent; set COLLCAST_DATA";
  }
  std::vector<Measurement> read(const std::string& file, const FileFacts& known = {}) const {
    return read_measurements({(folder_ / file).string(), known});
  }
  fs::path folder_;
};

TEST_F(Published, AllTablesAreRead) {
  std::map<std::string, int> rows;
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string(), extension = entry.path().extension().string();
    if (!entry.is_regular_file() || extension == ".md" || extension == ".json" || name == "LICENSE") continue;
    for (const Measurement& m : read_measurements({entry.path().string(), {}})) ++rows[operation(m)];
  }
  EXPECT_GT(rows["latency"], 250);
  EXPECT_GT(rows["bandwidth"], 250);
  EXPECT_GT(rows["copy"], 300);
  EXPECT_GT(rows["allreduce"], 6000);
  EXPECT_GT(rows["broadcast"], 100);
}

TEST_F(Published, RanksAndNodesOfNcclTests) {
  const auto all = read("abci/bcast/inter_vnode/job04.sh.7194910.nccl");
  EXPECT_EQ(all[0].collective, Collective::broadcast);
  EXPECT_EQ(all[0].ranks, 16);
  EXPECT_EQ(all[0].nodes, 4);
  EXPECT_EQ(all.size(), 48u);
  const auto aws = read("nccl_tests/aws_p4d_2x8xA100_all_reduce_perf.txt");
  EXPECT_EQ(aws[0].collective, Collective::allreduce);
  EXPECT_EQ(aws[0].ranks, 16);
  EXPECT_EQ(aws[0].nodes, 2);
  EXPECT_EQ(aws[0].library, "nccl-tests, NCCL 2.7.8");
}

TEST_F(Published, PairsOfMultipleBandwidth) {
  const auto all = read("abci/pt2pt/inter_vnode/job04.sh.7249113.gpu.bandwidth");
  EXPECT_EQ(all[0].pairs, 4);
  EXPECT_EQ(all[0].from, Memory::device);
  EXPECT_NEAR(all.back().time.value, 4194304 * 4 / 20481.03e6, 1e-9);
}

}  // namespace
}  // namespace collcast
