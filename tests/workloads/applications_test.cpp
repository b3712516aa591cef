// SPDX-License-Identifier: Apache-2.0
#include "workloads/applications/application.hpp"

#include <gtest/gtest.h>

#include <regex>

#include "platforms/description/load.hpp"
#include "tests/complaint.hpp"
#include "tests/mutated.hpp"
#include "workloads/job/player.hpp"
#include "workloads/job/read.hpp"
#include "workloads/job/write.hpp"

namespace collcast::workloads {
namespace {

using collcast::testing::complaint;
using Kind = JobActivity::Kind;

/// An operation takes a nanosecond, memory nothing.
const Device arithmetic = {"plain", 1e9, 1e9, BytesPerSecond(1e30)};
/// A byte takes a nanosecond, arithmetic nothing.
const Device memory = {"plain", 1e30, 1e30, BytesPerSecond(1e9)};

Price nanosecond_a_byte(const GroupCall& call) {
  const Seconds t(1e-9 * call.bytes.value);
  return {t, t, t, ""};
}

double nanoseconds(const std::string& text, Rank ranks, const Device& device = arithmetic) {
  return 1e9 * play(application_job(text, ranks, device), nanosecond_a_byte).time.value;
}

JobActivity first(const Job& job, Kind kind) {
  for (const JobActivity& a : job.roles[0].activities)
    if (a.kind == kind) return a;
  return {};
}

/// 64 points on 4 ranks, 16 each: 5 x 16 x log2 4 = 160 operations for each of three dimensions, and two
/// exchanges of 16 x 16 bytes.
TEST(P3dfft, CountsOperationsAndBytes) {
  EXPECT_NEAR(nanoseconds("p3dfft:n=4,transforms=1,fields=1,efficiency=1", 4), 3 * 160 + 2 * 256, 1e-6);
  EXPECT_NEAR(nanoseconds("p3dfft:n=4,efficiency=0.5", 4), 4 * (3 * 320 + 2 * 256), 1e-6);
  // three dimensions, two packings, two unpackings: each reads and writes 256 bytes
  EXPECT_NEAR(nanoseconds("p3dfft:n=4,transforms=1,fields=1,efficiency=1", 4, memory), 7 * 512 + 2 * 256,
              1e-6);
}

TEST(P3dfft, ExchangesByRowAndColumn) {
  const Job job = application_job("p3dfft:n=64", 24, arithmetic);
  EXPECT_EQ(job.members(job.groups[0].dimensions).dimensions, (std::vector<RankGroup::Dimension>{{4, 1}}));
  EXPECT_EQ(job.members(job.groups[1].dimensions).dimensions, (std::vector<RankGroup::Dimension>{{6, 4}}));
  EXPECT_EQ(application_job("p3dfft:grid=12x2", 24, arithmetic).dimensions[0].size, 12);
}

/// A dimension of a field takes 1 s, an exchange 1 s, on a DPU 2 s. Two fields.
double pipelined(const std::string& mode) {
  const auto price = [](const GroupCall& call) {
    const Seconds t(call.offloaded ? 2 : 1);
    return Price{t, t, t, ""};
  };
  return play(application_job("p3dfft:n=4,transforms=1,compute=3s,mode=" + mode, 4, arithmetic), price)
      .time.value;
}

/// Blocking: 2 x (3 + 2). Where exchanges proceed beneath computation, columns of seconds:
/// computed 1 1 2 2 3 3 of fields 0 1 0 1 0 1, exchanged beneath: 6. Where the host has to bring them on,
/// each is made where a rank waits for it: 10. A DPU is busy from 1 to 9 s, and a second is left then; with
/// the columns alone from 5 to 9 s, after the rows, at 2 and 4 s.
TEST(P3dfft, HidesAFieldsExchangeBeneathAnothersComputation) {
  EXPECT_DOUBLE_EQ(pipelined("blocking"), 10);
  EXPECT_DOUBLE_EQ(pipelined("nonblocking,progress=always"), 6);
  EXPECT_DOUBLE_EQ(pipelined("nonblocking"), 10);
  EXPECT_DOUBLE_EQ(pipelined("offload"), 10);
  EXPECT_DOUBLE_EQ(pipelined("offload,offloaded=column"), 10);
}

/// 25 points a rank: 3 x 25 x 3 x 2 operations; 4 x 6 bytes of sums and 4 x 3 of counts.
TEST(Kmeans, AddsUpSumsAndCounts) {
  const std::string settings = "points=100,features=2,clusters=3,iterations=2,efficiency=1";
  EXPECT_NEAR(nanoseconds("kmeans:" + settings, 4), 2 * (450 + 24 + 12), 1e-6);
  EXPECT_NEAR(nanoseconds("kmeans:" + settings, 4, memory), 2 * (25 * 2 * 4 + 24 + 12), 1e-6);
  EXPECT_NEAR(nanoseconds("kmeans:" + settings + ",compute=1us", 4), 2 * (1000 + 24 + 12), 1e-6);
}

/// 16 cells of 5 operations; 4 faces of 4 cells of 8 bytes; the residual of the second step. A quarter of the
/// cells needs no neighbour's: 20 beneath the exchange, 60 after it; or before and after it.
TEST(Stencil, HalosHideBeneathTheInterior) {
  const std::string cells = "stencil:dims=2,side=4,flops=5,efficiency=1,steps=2,";
  EXPECT_NEAR(nanoseconds(cells + "residual=2", 4), 2 * (80 + 128) + 8, 1e-6);
  EXPECT_NEAR(nanoseconds(cells + "overlap=1,progress=always", 4), 2 * (128 + 60), 1e-6);
  EXPECT_NEAR(nanoseconds(cells + "overlap=1", 4), 2 * (20 + 128 + 60), 1e-6);
  // three dimensions: 6 faces of 16 cells, 2 layers of each
  const Job job = application_job("stencil:side=4,width=2", 8, arithmetic);
  EXPECT_DOUBLE_EQ(first(job, Kind::collective).bytes.value, 6 * 16 * 2 * 8);
}

/// Three steps of 1 s and 2 s; 8 scores of 8 bytes; half a checkpoint from each of two ranks, and all of it
/// within the trial; a second a byte.
TEST(Pbt, LosersCopyWinners) {
  const Job job = application_job(
      "pbt:trial=2,quantiles=2,rounds=1,steps=3,step=1s,gradients=2,checkpoint=10", 8, arithmetic);
  const auto price = [](const GroupCall& call) {
    const Seconds t(call.bytes.value);
    return Price{t, t, t, ""};
  };
  EXPECT_DOUBLE_EQ(play(job, price).time.value, 3 * (1 + 2) + 64 + 5 + 10);
}

/// Half a node's 32 ranks share 16 cores of 2.6 GHz, of 16 operations a cycle, and a socket's 76.8 GB/s.
TEST(Device, IsARanksShare) {
  const Device cpu = device(load_platform("bluefield-1-cluster"));
  EXPECT_EQ(cpu.name, "Xeon-E5-2697Av4");
  EXPECT_DOUBLE_EQ(cpu.fp64, 2.6e9 * 16);
  EXPECT_DOUBLE_EQ(cpu.fp32, 2.6e9 * 32);
  EXPECT_DOUBLE_EQ(cpu.bandwidth.value, 4.8e9);
  const Device gpu = device(load_platform("summit"));
  EXPECT_DOUBLE_EQ(gpu.fp64, 7.8e12);
  EXPECT_DOUBLE_EQ(gpu.bandwidth.value, 900e9);
}

/// A gigaflop or 3 GB at 1 per second, of which a kernel reaches a half: 6 s for memory, 2 s for arithmetic.
TEST(Device, KernelsReachAShareOfBothPeaks) {
  const Device d{"plain", 1e9, 1e9, BytesPerSecond(1e9)};
  EXPECT_DOUBLE_EQ(kernel_time(d, d.fp64, 1e9, Bytes(3e9), 0.5).value, 6);
  EXPECT_DOUBLE_EQ(kernel_time(d, d.fp64, 1e9, Bytes(), 0.5).value, 2);
}

TEST(Applications, AllRunOnTheirDefaults) {
  for (const ApplicationName& a : application_names())
    EXPECT_GT(play(application_job(std::string(a.name), 40, arithmetic), nanosecond_a_byte).time, Seconds())
        << a.name;
}

/// What --list says can be set is what a refusal says, whatever else is set.
TEST(Applications, NameAllTheirSettings) {
  const std::regex setting("(?:^|, )([a-z]+)=");
  for (const ApplicationName& a : application_names()) {
    const std::string name(a.name), listed(a.settings);
    const std::string refusal = complaint([&] { application_job(name + ":no=1", 40, arithmetic); });
    for (std::sregex_iterator one(listed.begin(), listed.end(), setting), end; one != end; ++one)
      EXPECT_TRUE(std::regex_search(refusal, std::regex("[ ,]" + (*one)[1].str() + "(,|$)"))) << refusal;
  }
}

TEST(Applications, SayWhatIsWrong) {
  const auto error = [](const std::string& text, Rank ranks = 8, const Device& device = arithmetic) {
    return complaint([&] { application_job(text, ranks, device); });
  };
  EXPECT_EQ(
      error("p3dff"),
      "unknown application 'p3dff'; did you mean 'p3dfft'?; a job of one's own is a file that ends in .json");
  EXPECT_EQ(
      error("p3dfft:size=4"),
      "application p3dfft has no 'size'; it takes compute, efficiency, fields, grid, mode, n, offloaded, "
      "progress, transforms");
  EXPECT_EQ(error("p3dfft:n=1"), "application p3dfft: n takes a whole number from 2, got '1'");
  EXPECT_EQ(error("p3dfft:grid=4"), "application p3dfft: grid takes rows x columns like 8x16, got '4'");
  EXPECT_EQ(error("p3dfft:grid=4x"), "application p3dfft: grid takes rows x columns like 8x16, got '4x'");
  EXPECT_EQ(error("p3dfft:grid=-2x-4"),
            "application p3dfft: grid takes rows x columns like 8x16, got '-2x-4'");
  EXPECT_EQ(error("p3dfft:grid=3x3"), "application p3dfft: a grid of 3x3 is not 8 ranks");
  EXPECT_EQ(error("p3dfft:n=16", 17),
            "application p3dfft: a grid of 1 x 17 cuts n = 16 points into more pieces than there are");
  EXPECT_EQ(error("p3dfft:mode=fast"),
            "application p3dfft: mode takes blocking, nonblocking or offload, got 'fast'");
  EXPECT_EQ(error("p3dfft:progress=host"), "application p3dfft: progress goes with mode=nonblocking");
  EXPECT_EQ(error("p3dfft:offloaded=column"), "application p3dfft: offloaded goes with mode=offload");
  EXPECT_EQ(error("p3dfft:mode=offload,offloaded=row"),
            "application p3dfft: offloaded takes both or column, got 'row'");
  EXPECT_EQ(error("p3dfft:mode=nonblocking,progress=dpu"),
            "application p3dfft: progress takes always or host, got 'dpu'");
  EXPECT_EQ(error("p3dfft:compute=-1s"),
            "application p3dfft: compute '-1s' is not understood; times are like 3.5ms, 20us, 1s");
  EXPECT_EQ(error("p3dfft:efficiency=2"), "application p3dfft: efficiency takes a share from 1e-9 to 1");
  EXPECT_EQ(error("p3dfft", 8, {"a box", 0, 0, {}}),
            "the platform does not say how fast a box computes; give compute=TIME");
  EXPECT_EQ(error("p3dfft:compute=1s", 8, {"a box", 0, 0, {}}), "");
  EXPECT_EQ(error("kmeans:points=-1"), "application kmeans: points takes a number from 0 to 1e18, got '-1'");
  EXPECT_EQ(error("kmeans:points=1e308"),
            "application kmeans: points takes a number from 0 to 1e18, got '1e308'");
  EXPECT_EQ(error("kmeans:compute=1e308s"),
            "application kmeans: compute takes a time of at most 1e9s, got '1e308s'");
  EXPECT_EQ(error("kmeans:efficiency=1e-320"), "application kmeans: efficiency takes a share from 1e-9 to 1");
  EXPECT_EQ(error("kmeans:clusters=0"), "application kmeans: clusters takes a whole number from 1, got '0'");
  EXPECT_EQ(error("stencil:dims=4"), "application stencil: dims takes 2 or 3");
  EXPECT_EQ(error("stencil:side=4,width=3"),
            "application stencil: halos of width 3 need more cells than a side of 4");
  EXPECT_EQ(error("stencil:width=2147483647"),
            "application stencil: halos of width 2147483647 need more cells than a side of 256");
  EXPECT_EQ(error("stencil:progress=host"), "application stencil: progress goes with overlap=1");
  EXPECT_EQ(error("stencil:overlap=yes"), "application stencil: overlap takes 1 or 0, got 'yes'");
  EXPECT_EQ(error("pbt:trial=3", 20),
            "application pbt: 20 ranks do not divide into 5 quantiles of trials of 3");
  EXPECT_EQ(error("pbt:quantiles=101", 101),
            "application pbt: quantiles takes a whole number from 2 to 100, got '101'");
  EXPECT_EQ(error("pbt:checkpoint=big", 20),
            "application pbt: checkpoint 'big' is not understood; sizes are like 1024, 64KiB, 1.5MiB, 100MB");
  EXPECT_EQ(error("stencil:steps=2000000000"), "the application makes more activities than a million");
}

/// Whatever a setting or a file says, it is a job or one line.
TEST(Applications, DamagedOnesAreJobsOrOneLine) {
  std::mt19937 random(7);
  const std::string seeds[] = {"p3dfft:n=64,grid=4x2,mode=nonblocking,progress=host,compute=1ms",
                               "stencil:dims=2,side=8,overlap=1,steps=3,residual=2,progress=always",
                               "pbt:trial=2,quantiles=4,rounds=2,steps=3,checkpoint=1MB",
                               "kmeans:points=1e6,clusters=3"};
  int jobs = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string& seed = seeds[i % 4];
    const std::string text = i % 8 < 4 ? seed : mutated(seed, "0123456789=,:xk-.eM", random);
    const std::string error = complaint([&] {
      const Job job = application_job(text, 8, arithmetic);
      ++jobs;
      parse_job(mutated(job_text(job), R"({}[],:"0123456789 dohst)", random), "damaged.json");
    });
    EXPECT_EQ(error.find('\n'), std::string::npos) << text;
  }
  EXPECT_GE(jobs, 1000);
}

}  // namespace
}  // namespace collcast::workloads
