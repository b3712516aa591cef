// SPDX-License-Identifier: Apache-2.0
#include "forecast/library.hpp"

#include <gtest/gtest.h>

#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using namespace literals;

Library::Forecast allreduce(const Description& d, std::string policy, Rank ranks, Bytes message,
                            const Engine& engine = collcast::engine("path")) {
  const Call call{.ranks = ranks, .message = message, .ranks_per_node = 1};
  return Library(std::move(policy), d, ranks).predict(Collective::allreduce, call, engine);
}

TEST(Library, NcclIsTimedByItsTransport) {
  const Description d = load_platform("abci-v");
  const Library::Forecast c = allreduce(d, "nccl-2.8", 32, 32_MiB);
  EXPECT_EQ(c.prediction.algorithm->name, "multi-ring");
  EXPECT_EQ(c.choice.protocol, "LL128");
  EXPECT_EQ(c.prediction.limited_by, "network proxies and cards");
  EXPECT_LT(c.prediction.bound.time, c.prediction.time);
  // The low end is the time on a machine at the fast end, whose own bound it does not reach.
  EXPECT_LT(allreduce(optimistic(d), "nccl-2.8", 32, 32_MiB).prediction.bound.time, c.prediction.low);
  EXPECT_LT(c.prediction.low, c.prediction.time);
  EXPECT_LT(c.prediction.time, c.prediction.high);
  EXPECT_FALSE(c.prediction.calibrated);
}

/// Its threads reduce in host memory only. A broadcast stays in the GPUs; a machine without GPUs, or data in
/// host memory, know no copies.
TEST(Library, OpenMpiStagesReductionsOfGpus) {
  const auto predicted = [](const char* platform, Collective collective, Memory memory) {
    const Library library("openmpi-4.1", load_platform(platform), 16, Placement::block, memory);
    const Call call{.ranks = 16, .message = 64_MiB, .ranks_per_node = 1};
    return library.predict(collective, call, engine("path")).prediction;
  };
  const Prediction staged = predicted("dgx-h100", Collective::allreduce, Memory::device);
  const Prediction in_host = predicted("dgx-h100", Collective::allreduce, Memory::host);
  EXPECT_EQ(staged.algorithm->name, in_host.algorithm->name + " in host memory");
  EXPECT_GT(staged.time, in_host.time);
  EXPECT_LT(staged.time, 3.0 * in_host.time);
  EXPECT_EQ(predicted("dgx-h100", Collective::broadcast, Memory::device).algorithm->name.find("host"),
            std::string::npos);
  EXPECT_EQ(predicted("frontera", Collective::allreduce, Memory::device).algorithm->name.find("host"),
            std::string::npos);
}

/// An algorithm that it is told to play is staged, too, and listed once.
TEST(Library, OpenMpiStagesWhateverItIsTold) {
  const Library library("openmpi-4.1", load_platform("dgx-h100"), 16);
  const Call call{.ranks = 16, .message = 64_MiB, .ranks_per_node = 1};
  const Algorithm& ring = algorithm(Collective::allreduce, "ring");
  EXPECT_EQ(library.predict(ring, call, engine("path")).prediction.algorithm->name, "ring in host memory");
}

TEST(Library, ThePlatformKnowsNcclBetter) {
  const Description d = load_platform("abci-v");
  const Seconds before = allreduce(d, "nccl-2.8", 4, 1_MiB).prediction.time;
  for (const auto& [path, more_us] : {std::pair{"launch_us", 90.0}, {"channel_us", 11 * 90.0}}) {
    Description better = d;
    set(better, "software.nccl.LL128." + std::string(path) + "=" + (path[0] == 'l' ? "100" : "91.05"));
    const Seconds after = allreduce(better, "nccl-2.8", 4, 1_MiB).prediction.time;
    EXPECT_NEAR((after - before).value * 1e6, more_us, 1e-6) << path;
  }
  // Up the tree of two nodes and down again, 90 us more than NCCL's 5 each.
  const auto tree = [](const Description& of) {
    return allreduce(of, "nccl-2.8:algo=Tree,proto=LL", 8, 1_KiB).prediction.time;
  };
  Description far = d;
  set(far, "software.nccl.LL.tree_hop_us=95");
  EXPECT_NEAR((tree(far) - tree(d)).value * 1e6, 180, 1e-6);
}

/// In a node heads take no less than on one node alone; both readings say so.
TEST(Library, TreesOfSwitchesOnTwoNodesAreNoFasterThanSwitchesOnOne) {
  const Description d = load_platform("dgx-h100");
  const auto time = [&](Rank ranks, const char* engine) {
    const Call call{.ranks = ranks, .message = 1024 * 1_MiB, .ranks_per_node = 8};
    return Library("nccl-2.26", d, ranks).predict(Collective::allreduce, call, collcast::engine(engine));
  };
  const auto one = time(8, "path"), two = time(16, "path"), contended = time(16, "contention");
  EXPECT_EQ(one.prediction.algorithm->name, "nvls");
  EXPECT_EQ(two.prediction.algorithm->name, "nvls-tree");
  EXPECT_GT(two.prediction.time, one.prediction.time);
  EXPECT_NEAR(two.prediction.time / contended.prediction.time, 1, 0.05);
}

/// all_reduce_perf of 8 MiB on eight MI300X: 91.1 us (crickett-hpe/hpc-ai-envs PR 30). Played, rings take
/// what the closed form says.
TEST(Library, RcclOnMi300x) {
  const Description d = load_platform("azure-mi300x");
  const Library library("rccl-2.26", d, 8);
  const Call call{.ranks = 8, .message = Bytes(8 << 20)};
  const Seconds path = library.predict(Collective::allreduce, call, engine("path")).prediction.time,
                played = library.predict(Collective::allreduce, call, engine("contention")).prediction.time;
  EXPECT_NEAR(path.value * 1e6, 91.1, 9);
  EXPECT_NEAR(played / path, 1, 0.15);
}

/// RCCL's limit between LL and LL128 lies where LL takes longer, by its own hops: a larger message is faster.
TEST(Library, SaysWhereTwiceTheSizeTakesLess) {
  const Library library("rccl-2.26", load_platform("azure-mi300x"), 64);
  const auto why = [&](Bytes message) {
    const Call call{.ranks = 64, .message = message};
    return library.predict(Collective::allreduce, call, engine("path")).choice.why;
  };
  EXPECT_NE(why(1_MiB).find("; twice the size takes less, 144 us, by Tree/LL128"), std::string::npos);
  EXPECT_EQ(why(2_MiB).find("twice"), std::string::npos);
}

TEST(Library, TheNetworkMovesIt) {
  Description d = load_platform("abci-v");
  const Seconds before = allreduce(d, "nccl-2.8", 32, 32_MiB).prediction.time;
  set(d, "network.bandwidth_GBps=6");
  EXPECT_GT(allreduce(d, "nccl-2.8", 32, 32_MiB).prediction.time, 1.5 * before);
}

/// The hops of a tree contain its proxies; of a ring, proxies take the messages of a card in turn.
TEST(Library, ATreePlayedTakesWhatItsClosedFormSays) {
  testing::EachOrOneIn tried(9);
  for (const auto& [platform, policy, ranks, message] :
       {std::tuple{"abci-v", "nccl-2.8", 32, Bytes(8)},
        {"abci-v", "nccl-2.8", 64, Bytes(8)},
        {"dgx-a100", "nccl-2.18:algo=Tree", 17, Bytes(8)},
        {"dgx-a100", "nccl-2.18:algo=Tree", 24, Bytes(8)},
        {"dgx-a100", "nccl-2.18:algo=Tree", 65, Bytes(8)},
        {"dgx-h100", "nccl-2.26:algo=Tree,proto=LL", 16, 64_KiB},
        {"dgx-h100", "nccl-2.18:algo=Tree,proto=Simple", 32, 16_MiB},
        {"dgx-a100", "nccl-2.18", 32, 16_MiB},
        {"dgx-a100", "nccl-2.18", 64, 16_MiB}}) {
    if (!tried()) continue;
    const Description d = load_platform(platform);
    const Seconds form = allreduce(d, policy, ranks, message).prediction.time,
                  played = allreduce(d, policy, ranks, message, engine("contention")).prediction.time;
    // LL and LL128 are passed on line by line in a node, where contention plays whole parts of chunks.
    EXPECT_NEAR(played / form, 1, message > 1_KiB ? 0.2 : 0.05) << platform << ' ' << ranks;
  }
}

/// A tree of LL128 has two sequences of steps for each channel, of one kernel: it is launched once.
TEST(Library, ATreesExplanationAddsUp) {
  const Prediction played =
      allreduce(load_platform("dgx-h200"), "nccl-2.18:algo=Tree,proto=LL128", 16, 1_MiB, engine("contention"))
          .prediction;
  Seconds explained;
  for (const Share& share : played.explanation) explained += share.time;
  EXPECT_NEAR(explained / played.time, 1, 1e-9);
}

/// 64 threads take 8 bytes each in a turn of LL, in both readings.
TEST(Library, ShortMessagesHaveFewThreads) {
  const Description d = load_platform("dgx-h200");
  const auto time = [&](const char* by) {
    return Library("nccl-2.22:proto=LL", d, 8)
        .predict(Collective::reduce_scatter, {.ranks = 8, .message = Bytes(8000)}, engine(by))
        .prediction.time;
  };
  EXPECT_NEAR(time("contention") / time("path"), 1, 0.05);
}

TEST(Library, OthersAreReadLikeAnySchedule) {
  const Description d = load_platform("abci-v");
  const Library::Forecast c = allreduce(d, "mpich", 8, 1_MiB);
  const Forecaster forecaster(d, 8);
  EXPECT_EQ(c.prediction.time,
            forecaster.predict(*c.prediction.algorithm, c.prediction.call, engine("path")).time);
  EXPECT_EQ(c.choice.protocol, "");
}

/// Open MPI's allreduce waits for each of its sends: such messages are eager up to another limit.
TEST(Library, SendsThatBlockHaveALimitOfTheirOwn) {
  const Description d = load_platform("abci-v-mpi");
  const auto time = [](const Description& on) {
    return Library("openmpi-4.0", on, 4, Placement::block, Memory::host)
        .predict(Collective::allreduce, {.ranks = 4, .message = 256_KiB}, engine("path"))
        .prediction.time;
  };
  Description less = d;
  set(less, "software.in_node.host.blocking_eager_limit_KiB=4");
  EXPECT_NE(time(less), time(d));
  Description started = d;
  set(started, "software.in_node.host.eager_limit_KiB=4");
  EXPECT_EQ(time(started), time(d));
}

TEST(Library, SwitchesThatReduceTakeLargeMessages) {
  const Description d = load_platform("dgx-h100");
  for (const auto& [ranks, name] : {std::pair{8, "nvls"}, {16, "nvls-tree"}}) {
    const Call call{.ranks = ranks, .message = 1024_MiB, .ranks_per_node = 8};
    const Library::Forecast c =
        Library("nccl-2.19", d, ranks).predict(Collective::allreduce, call, engine("path"));
    EXPECT_EQ(c.prediction.algorithm->name, name);
    EXPECT_GT(c.prediction.time, c.prediction.bound.time);
    EXPECT_NE(allreduce(d, "nccl-2.19", ranks, 1_KiB).prediction.algorithm->name, name);
  }
}

/// NCCL's maintainers: about 275 GB/s on 8 H100 (NVIDIA/nccl-tests issue 212).
TEST(Library, Nvls) {
  const double algorithm_bandwidth =
      allreduce(load_platform("dgx-h100"), "nccl-2.28", 8, 1024_MiB).prediction.algorithm_bandwidth().value;
  EXPECT_NEAR(algorithm_bandwidth, 275e9, 0.1 * 275e9);
}

/// 388 GB/s of bus bandwidth on 4 to 64 nodes of eight B200 with the same cards, NCCL 2.28.
TEST(Library, NvlsTreesTakeNoLongerOnMoreNodes) {
  const Description d = load_platform("dgx-h100");
  testing::EachOrOneIn tried(2);
  for (const Rank ranks : {32, 64}) {
    if (!tried()) continue;
    const Call call{.ranks = ranks, .message = 32768_MiB, .ranks_per_node = 8};
    const Prediction p = Library("nccl-2.28:algo=NVLSTree", d, ranks)
                             .predict(Collective::allreduce, call, engine("auto"))
                             .prediction;
    EXPECT_NEAR(p.bus_bandwidth().value, 388e9, 0.1 * 388e9) << ranks;
  }
}

/// What goes up and down both trees shares the cards, which have few idle moments: with contention they take
/// little longer than the busiest card.
TEST(Library, TreesFillTheirCards) {
  testing::EachOrOneIn tried(2);
  for (const auto& [platform, policy, ranks, message] :
       {std::tuple{"dgx-h100", "nccl-2.28:algo=NVLSTree", 32, testing::all_or_one_in(16, 4096) * 1_MiB},
        {"dgx-a100", "nccl-2.18:algo=Tree,proto=Simple", 64, 256_MiB}}) {
    if (!tried()) continue;
    const Description d = load_platform(platform);
    const Seconds path = allreduce(d, policy, ranks, message, engine("path")).prediction.time,
                  played = allreduce(d, policy, ranks, message, engine("contention")).prediction.time;
    EXPECT_NEAR(played / path, 1, 0.15) << policy;
  }
}

/// However small the message, every rank passes on a chunk of each.
TEST(Library, ARingPlayedTakesWhatItsClosedFormSays) {
  const auto ratio = [](Collective collective, const char* platform, Rank ranks) {
    const Library library("nccl-2.18", load_platform(platform), ranks);
    const Call call{.ranks = ranks, .message = Bytes(8)};
    return library.predict(collective, call, engine("contention")).prediction.time /
           library.predict(collective, call, engine("path")).prediction.time;
  };
  for (const Collective collective : {Collective::allgather, Collective::reduce_scatter}) {
    EXPECT_NEAR(ratio(collective, "dgx-1v", 12), 1, 0.06);  // nodes of 8 and 4
    EXPECT_NEAR(ratio(collective, "azure-ndv2", 64), 1, 0.02);
  }
}

/// All channels share what NCCL finds a GPU's NVLinks to carry, which is less than they do.
TEST(Library, ARingOnNvlinksIsNoFasterPlayed) {
  for (const char* platform : {"dgx-1v", "dgx-a100", "dgx-h100", "abci-v"}) {
    const Description d = load_platform(platform);
    const auto time = [&](const char* by) {
      return allreduce(d, "nccl-2.18:algo=Ring", 4, 256_MiB, engine(by)).prediction.time;
    };
    EXPECT_NEAR(time("contention") / time("path"), 1.02, 0.05) << platform;
  }
}

/// A node of two is no faster than alone: the tree's chains use its NVLinks for both ways.
TEST(Library, TreesShareNvlinksLikeRings) {
  const Description d = load_platform("dgx-a100");
  const auto time = [&](Rank ranks, const char* policy) {
    return allreduce(d, policy, ranks, 1024_MiB, engine("path")).prediction.time;
  };
  EXPECT_GT(time(16, "nccl-2.18:algo=Tree"), time(8, "nccl-2.18:algo=Ring"));
}

/// Where each pair has links of its own, a GPU sends to all peers at once; by a switch, one after the other.
TEST(Library, PeersWithLinksOfTheirOwnAreServedSideBySide) {
  for (const auto& [platform, policy, ranks] : {std::tuple("azure-mi300x", "rccl-2.26", 8),
                                                {"abci-v", "nccl-2.8", 4},
                                                {"dgx-a100", "nccl-2.18", 8}}) {
    const Call call{.ranks = ranks, .message = 1024_MiB};
    for (const char* by : {"path", "contention"}) {
      const Prediction p = Library(policy, load_platform(platform), ranks)
                               .predict(Collective::alltoall, call, engine(by))
                               .prediction;
      EXPECT_LT(p.time, 1.3 * p.bound.time) << platform << " " << by;
    }
  }
}

TEST(Library, SaysThatCallsFollowEachOther) {
  const Call call{.ranks = 16, .message = 32_KiB};
  const Library library("nccl-2.21", load_platform("dgx-1v"), 16);
  const Prediction row = library.predict(Collective::broadcast, call, engine("auto")).prediction,
                   lone = library.predict(Collective::broadcast, call, engine("contention")).prediction;
  EXPECT_GT(lone.time, 2 * row.time);
  EXPECT_NE(row.note.find("call after call"), std::string_view::npos);
  EXPECT_TRUE(lone.note.empty());
}

TEST(Library, PatIsSentByNcclsKernels) {
  const Call call{.ranks = 16, .message = 1_KiB};
  const Prediction p = Library("nccl-2.28:algo=PAT", load_platform("edr-cluster"), 16)
                           .predict(Collective::allgather, call, engine("path"))
                           .prediction;
  EXPECT_EQ(p.algorithm->name, "pat");
  EXPECT_EQ(p.transport, "nccl-2.28:Simple");
}

TEST(Library, OneRankTakesNoTime) {
  EXPECT_EQ(allreduce(load_platform("abci-v"), "nccl-2.8", 1, 1_MiB).prediction.time, Seconds(0));
}

TEST(Library, UnknownPoliciesAreNamed) {
  EXPECT_THROW(allreduce(load_platform("abci-v"), "nccl-1.8", 4, 1_MiB), InputError);
}

}  // namespace
}  // namespace collcast
