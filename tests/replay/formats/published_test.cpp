// SPDX-License-Identifier: Apache-2.0
// Published traces, where they are at hand; what each holds was counted with other tools.
#include <gtest/gtest.h>

#include <algorithm>

#include "replay/formats/formats.hpp"
#include "replay/source/inspection.hpp"
#include "tests/complaint.hpp"
#include "tests/replay/formats/activities.hpp"
#include "tests/shared_data.hpp"

namespace collcast {
namespace {

std::int64_t calls(const Inspection& i, std::string_view operation) {
  std::int64_t n = 0;
  for (const auto& o : i.operations)
    if (o.name == operation) n += o.count;
  return n;
}

#define READ_OR_SKIP(source, name)                                                                      \
  const auto path = shared_data(name);                                                                  \
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there (COLLCAST_DATA names it)"; \
  const auto source = open_source({path.string()})

TEST(Published, HorovodTimelineOf32Ranks) {
  READ_OR_SKIP(source, "traces/horovod_timeline/32gpu_logs_100g_nccl-only.json.gz");
  EXPECT_EQ(source->ranks(), 32);
  const Inspection i = inspect(*source);
  EXPECT_EQ(calls(i, "allreduce"), 28 * 32);
}

TEST(Published, KinetoOfTwoA100) {
  READ_OR_SKIP(source, "traces/kineto/hta_nccl_parser_config_nccl_data.json.gz");
  EXPECT_EQ(source->ranks(), 2);
  const Inspection i = inspect(*source);
  EXPECT_EQ(calls(i, "allreduce"), 15);
  EXPECT_EQ(calls(i, "broadcast"), 6);
  for (const auto& o : i.operations) EXPECT_TRUE(o.sized);
}

TEST(Published, KinetoOfEightMi300) {
  READ_OR_SKIP(source, "traces/more/kineto/tracelens_resnet_ddp_8xMI300_rank0.json.gz");
  EXPECT_EQ(source->ranks(), 8);
  const Inspection i = inspect(*source);
  EXPECT_EQ(i.of_rank.size(), 1u);
  EXPECT_EQ(calls(i, "allreduce"), 6);  // and 5 kernels of before the first launch
  EXPECT_EQ(calls(i, "broadcast"), 6);
}

TEST(Published, ChakraOfAstraSim) {
  const auto folder = shared_data("traces/more/chakra_et");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there (COLLCAST_DATA names it)";
  std::vector<std::string> files;
  for (int r = 0; r < 4; ++r)
    files.push_back((folder / ("all_reduce_4npus_1MB." + std::to_string(r) + ".et")).string());
  const auto source = open_source(files);
  const Inspection i = inspect(*source);
  ASSERT_EQ(i.operations.size(), 1u);
  EXPECT_EQ(i.operations[0].count, 4);
  EXPECT_DOUBLE_EQ(i.operations[0].size.value, 1048576);
}

TEST(Published, NcclLogsOfRealJobs) {
  READ_OR_SKIP(source, "traces/nccl_coll_logs/eks_fsdp_llama2-7b_4rank.txt");
  EXPECT_EQ(source->ranks(), 4);
  EXPECT_GT(calls(inspect(*source), "allgather"), 0);
}

TEST(Published, NsysExportsOfTwoH100) {
  READ_OR_SKIP(source, "traces/more/nsys/nsysai_mfu_2gpu_before.sqlite.gz");
  EXPECT_EQ(source->ranks(), 2);
  const Inspection i = inspect(*source);
  EXPECT_EQ(calls(i, "alltoall"), 64);  // and 2 kernels of before the first range, of the 66
  // Kernels but NCCL's take 509.80 ms, copies and memsets on the same streams 5.91 ms.
  EXPECT_NEAR(i.compute.value, 0.51571, 1e-5);
}

TEST(Published, NsysExportsWithoutTables) {
  READ_OR_SKIP(source, "traces/more/nsys/nsysai_healthy_1pct.sqlite.gz");
  EXPECT_NEAR(inspect(*source).compute.value, 0.4, 1e-9);  // 400 kernels of 1 ms
}

TEST(Published, DeepSpeedLogOfItsDocumentation) {
  READ_OR_SKIP(source, "traces/more/deepspeed_comms/comms_logging_examples.txt");
  EXPECT_EQ(source->ranks(), 16);
  EXPECT_EQ(calls(inspect(*source), "allgather"), 2);
}

TEST(Published, DumpiTextOfTheFirstOfFourRanks) {
  READ_OR_SKIP(source, "traces/more/dumpi/testtrace-0000.txt.gz");
  EXPECT_EQ(source->ranks(), 4);
  const Inspection i = inspect(*source);
  for (const auto* call : {"send", "recv", "barrier", "allreduce"}) EXPECT_EQ(calls(i, call), 1) << call;
  ASSERT_EQ(i.pairs.size(), 1u);
  EXPECT_EQ(i.pairs[0].to, 1);
  EXPECT_DOUBLE_EQ(i.pairs[0].bytes.value, 4);
}

TEST(Published, DumpiBinariesAreTheSameAsTheirText) {
  READ_OR_SKIP(source, "traces/more/dumpi/testtrace-0000.txt.gz");
  const auto folder = shared_data("traces/more/dumpi");
  testing::expect_same(*source, *open_source({(folder / "testtrace-0000.bin").string()}));
  std::vector<std::string> files = {(folder / "testtrace.meta").string()};
  for (int r = 0; r < 4; ++r)
    files.push_back((folder / ("testtrace-000" + std::to_string(r) + ".bin")).string());
  const auto whole = open_source(files);
  const Inspection i = inspect(*whole);
  for (const auto* call : {"send", "recv", "barrier", "allreduce"}) EXPECT_EQ(calls(i, call), 4) << call;
  ASSERT_EQ(i.pairs.size(), 4u);
  for (const auto& p : i.pairs) EXPECT_EQ(p.to, (p.from + 1) % 4);
}

TEST(Published, MpipReportOfAmg) {
  READ_OR_SKIP(source, "traces/mpi_profiles/mpiP_amg_excerpt.txt");
  EXPECT_FALSE(source->info().ordered);
  EXPECT_EQ(calls(inspect(*source), "Allreduce"), 336);
}

TEST(Published, IpmBannerOfBoxlib) {
  READ_OR_SKIP(source, "traces/more/ipm/ipm_boxlib_cori_128ranks.txt");
  EXPECT_EQ(source->ranks(), 128);
  EXPECT_EQ(calls(inspect(*source), "MPI_Allreduce"), 567552);
}

TEST(Published, TauProfileOfCpi) {
  READ_OR_SKIP(source, "traces/more/tau/cpi_profile.1.0.0.gz");
  EXPECT_EQ(calls(inspect(*source), "MPI_Bcast"), 1);
}

/// Seconds and calls of an operation, all sizes.
std::pair<double, std::int64_t> sum(const Inspection& i, std::string_view operation) {
  std::pair<double, std::int64_t> all;
  for (const auto& o : i.operations)
    if (o.name == operation) all.first += o.total.value, all.second += o.count;
  return all;
}

TEST(Published, CubeProfileOfKripke) {
  READ_OR_SKIP(source, "traces/more/cubex/kripke.p8.cubex.gz");
  EXPECT_EQ(source->ranks(), 8);
  const Inspection i = inspect(*source);
  EXPECT_EQ(calls(i, "MPI_Isend"), 96000);
  EXPECT_EQ(calls(i, "MPI_Testany"), 169025);
  EXPECT_NEAR(sum(i, "MPI_Testany").first, 3.6776, 1e-4);
  const auto sent = std::ranges::find(i.operations, "MPI_Isend", &Inspection::Operation::name);
  EXPECT_DOUBLE_EQ(sent->size.value, 18440);  // 1,770,240,000 B
}

TEST(Published, CubeProfileOfBlast) {
  READ_OR_SKIP(source, "traces/more/cubex/blast.p64.r1.cubex.gz");
  EXPECT_EQ(source->ranks(), 64);
  const Inspection i = inspect(*source);
  EXPECT_EQ(calls(i, "MPI_Allreduce"), 768 + 627200 + 25600);
  EXPECT_EQ(calls(i, "MPI_Recv"), 259);
}

TEST(Published, DarshanLogsOfFourRanks) {
  const std::vector<std::pair<std::string, bool>> logs = {
      {"3.1.8", false}, {"3.3.1", true}, {"3.4.0", true}, {"3.5.0", false}};
  for (const auto& [version, messages] : logs) {
    READ_OR_SKIP(source, "traces/more/darshan/mpi-io-test-x86_64-" + version + ".darshan");
    EXPECT_EQ(source->ranks(), 4);
    const Inspection i = inspect(*source);
    EXPECT_EQ(calls(i, "MPI-IO write"), 4);
    EXPECT_EQ(calls(i, "MPI_Allreduce"), messages ? 80 : 0);
    EXPECT_EQ(calls(i, "MPI_Barrier"), messages ? 20 : 0);
    const auto write = std::ranges::find(i.operations, "MPI-IO write", &Inspection::Operation::name);
    EXPECT_DOUBLE_EQ(write->size.value, 1 << 24);
  }
}

TEST(Published, DarshanLogOfIor) {
  READ_OR_SKIP(source, "traces/more/darshan/ior_pnetcdf.darshan");
  EXPECT_NEAR(source->info().recorded.value, 0.013046732, 1e-9);
  const Inspection i = inspect(*source);
  EXPECT_EQ(calls(i, "MPI-IO read"), 17);
  EXPECT_EQ(calls(i, "POSIX write"), 19);
}

TEST(Published, RcclReplayerLogOfALifecycleIsRefused) {
  const auto path = shared_data("traces/more/rccl_replayer/commsplit_reduces_example.json.txt");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there (COLLCAST_DATA names it)";
  EXPECT_NE(testing::complaint([&] {
              open_source({path.string()});
            }).find("an RCCL Replayer log in which nothing communicates"),
            std::string::npos);
}

}  // namespace
}  // namespace collcast
