// SPDX-License-Identifier: Apache-2.0
// Any schedule under any transport: the same on every engine, and what NCCL's closed form says of its own.
#include "libraries/transport.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "engines/simulated.hpp"
#include "forecast/answer.hpp"
#include "forecast/library.hpp"
#include "platforms/description/load.hpp"
#include "support/address_sanitizer.hpp"
#include "tests/complaint.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using namespace literals;
using testing::complaint;

Prediction predicted(const std::string& platform, const std::string& transport, Rank ranks, Bytes message,
                     const std::string& name = "ring", const std::string& reading = "path") {
  const Forecaster forecaster(load_platform(platform), ranks, Placement::block, Memory::device, 0,
                              parse_transport(transport));
  const Call call{.ranks = ranks, .message = message, .ranks_per_node = forecaster.ranks_per_node()};
  return forecaster.predict(algorithm(Collective::allreduce, name), call, engine(reading));
}

/// NCCL 2.18's Simple on V100: a channel moves 26.5 / 2 GB/s where NVLinks carry more, each step of a ring
/// takes 3.4 us, and launching the kernel 8.4 us: facts of its tuner. 4 MiB on 4 GPUs are 6 steps of 1 MiB.
TEST(Transport, aRingOfSimpleByHand) {
  const Prediction p = predicted("dgx-1v", "nccl-2.8:Simple", 4, 4_MiB);
  EXPECT_NEAR(p.time.value * 1e6, 8.4 + 6 * (3.4 + 1048576 / 13250.0), 1e-6);
  EXPECT_EQ(p.transport, "nccl-2.8:Simple");
}

/// Where nothing contends, the players find the critical path (law 3).
TEST(Transport, enginesAgree) {
  if (!can_simulate()) GTEST_SKIP() << "built without SimGrid";
  testing::EachOrOneIn tried(5);
  const auto agree = [&tried](const char* platform, const std::string& transport, Rank ranks) {
    for (const char* name : {"ring", "recursive-doubling"})
      for (const Bytes message : {64_B, 64_KiB, 4_MiB}) {
        if (!tried()) continue;
        const Seconds path = predicted(platform, transport, ranks, message, name).time;
        const Seconds played = predicted(platform, transport, ranks, message, name, "simgrid").time;
        EXPECT_NEAR(played / path, 1, 1e-6) << platform << ' ' << transport << ' ' << name << message.value;
      }
  };
  for (const char* transport : {"links", "nccl:LL", "nccl:Simple"}) agree("edr-cluster", transport, 4);
  for (const char* transport : {"links", "nccl:LL", "nccl:LL128", "nccl:Simple"})
    agree("dgx-1v", transport, 2);
}

TEST(Transport, whatTheMachineCannotRunIsRefused) {
  EXPECT_EQ(complaint([] { predicted("frontera", "nccl:LL", 4, 1_KiB); }),
            "nccl-2.18 needs GPUs, and the ranks of frontera sit on cpu0; the policies of MPI libraries, "
            "such as mpich, do not");
  EXPECT_EQ(complaint([] { predicted("rtx2080ti-cluster", "nccl:LL128", 2, 1_KiB); }),
            "--transport nccl-2.18:LL128 needs NVLink between the GPUs of a node, which rtx2080ti-cluster "
            "does not have");
  EXPECT_NE(complaint([] { parse_transport("nccl:LL256"); }).find("no transport \"nccl:LL256\""),
            std::string::npos);
  EXPECT_NE(complaint([] { parse_transport("nccl-2.99:LL"); }).find("no transport"), std::string::npos);
}

/// Law 9.
TEST(Transport, anExplanationAddsUpToTheTime) {
  testing::EachOrOneIn tried(5);
  for (const char* transport : {"mpi", "links", "nccl:LL", "nccl:Simple", "mvapich2-gdr"})
    for (const char* reading : {"path", "contention", can_simulate() ? "simgrid" : "path"})
      for (const char* name : {"ring", "recursive-doubling"})
        for (const Rank ranks : {4, 12}) {
          if (!tried()) continue;
          const Prediction p = predicted("abci-v", transport, ranks, 1_MiB, name, reading);
          ASSERT_FALSE(p.explanation.empty());
          Seconds sum;
          for (const Share& s : p.explanation) sum += s.time;
          EXPECT_NEAR(sum / p.time, 1, 1e-9) << transport << ' ' << reading << ' ' << name;
          EXPECT_EQ(p.limited_by, p.explanation.front().name);
        }
}

/// Two ranks of the textbook machine exchange 80 kB: 1 us of latency, 6.4 us of bytes at 12.5 GB/s, 0.8 us of
/// reduction at 100 GB/s.
TEST(Transport, anExplanationByHand) {
  for (const char* reading : {"path", "contention"}) {
    const Prediction p = predicted("flat", "links", 2, Bytes(80000), "recursive-doubling", reading);
    ASSERT_EQ(p.explanation.size(), 3u);
    const auto is = [&](std::size_t i, Cause cause, double us) {
      EXPECT_EQ(p.explanation[i].cause, cause) << reading;
      EXPECT_NEAR(p.explanation[i].time.value * 1e6, us, 1e-9) << reading;
    };
    is(0, Cause::link, 6.4), is(1, Cause::latency, 1), is(2, Cause::reduction, 0.8);
    EXPECT_NEAR(*p.limited_by_share, 6.4 / 8.2, 1e-9);
  }
}

/// A message of ncclSend whose threads are slower than its NVLinks, which twice the bandwidth would not help.
TEST(Transport, threadsThatAreSlowerThanLinksAreSoftware) {
  for (const auto& [platform, collective, ranks] :
       {std::tuple{"leonardo", "scatter", 2}, {"dgx-2", "alltoall", 3}}) {
    Question q;
    q.collectives = {collective}, q.platforms = {platform}, q.policy = "nccl-2.8";
    q.ranks = {ranks}, q.sizes = {64_MiB};
    const Answer a = ask(q);
    EXPECT_EQ(a.rows[0].prediction.limited_by, "software") << platform;
    EXPECT_GT(a.rows[0].prediction.limited_by_share, 0.9) << platform;
  }
}

/// Twice the bandwidth of PCIe halves what is named after the node's links; NVLinks do not hold channels.
TEST(Transport, channelsOverPcieAreHeldByLinks) {
  const auto asked = [](const char* platform, std::vector<std::string> settings = {}) {
    Question q;
    q.collectives = {"allreduce"}, q.platforms = {platform}, q.policy = "nccl-2.18";
    q.ranks = {4}, q.sizes = {64_MiB}, q.set = std::move(settings);
    return ask(q).rows[0].prediction;
  };
  const Prediction pcie = asked("p40-node");
  EXPECT_EQ(pcie.limited_by, "links in the node");
  EXPECT_NEAR(asked("p40-node", {"node.link_kinds.pcie3-x16.bandwidth_GBps=24"}).time / pcie.time, 0.5, 0.02);
  EXPECT_EQ(asked("abci-v").limited_by, "channels of the GPU");
}

/// LL sends a flag with each 4 bytes, over the links of one node, too: a MiB goes 7/4 times across the
/// sockets at 6 GB/s, and as many bytes of flags.
TEST(Transport, flagsLoadTheLinksOfANode) {
  const Library library("nccl-2.8:algo=Ring,proto=LL", load_platform("p40-node"), 8);
  const Call call{.ranks = 8, .message = 1_MiB};
  const Prediction form = library.predict(Collective::allreduce, call, engine("path")).prediction;
  const Prediction played = library.predict(Collective::allreduce, call, engine("contention")).prediction;
  EXPECT_NEAR(form.time.value, 2 * 7.0 / 4 * 1048576 / 6e9, 1e-6);
  EXPECT_NEAR(played.time / form.time, 1, 0.05);
}

/// A node with one GPU has more channels, each of a lower speed, than one with four. NCCL counts on the fewer
/// channels and the lower speed, but the links of neither node are that slow.
TEST(Transport, channelsOfUnequalNodesAreHeldByTheSlowerLinks) {
  const auto bus_seconds = [](Rank ranks) {
    Question q;
    q.collectives = {"allreduce"}, q.platforms = {"rtx2080ti-cluster"}, q.policy = "nccl-2.18";
    q.set = {"node.link_kinds.sockets.bandwidth_GBps=15", "node.link_kinds.slot.bandwidth_GBps=24",
             "network.bandwidth_GBps=24"};
    q.ranks = {ranks}, q.sizes = {256_MiB};
    return ask(q).rows[0].prediction.time * ranks / (ranks - 1);
  };
  for (const Rank ranks : {5, 6, 9}) EXPECT_NEAR(bus_seconds(ranks) / bus_seconds(8), 1, 0.01) << ranks;
}

/// NCCL's choice, played as its rings and trees with contention, against the closed form.
TEST(Transport, theClosedFormOfNcclStaysNearItsSchedule) {
  if (!can_simulate()) GTEST_SKIP() << "built without SimGrid";
  testing::EachOrOneIn tried(3);
  for (const auto& [ranks, bound] : {std::pair<Rank, double>{4, 0.10}, {8, 0.25}, {32, 0.30}}) {
    const Library library("nccl-2.8", load_platform("abci-v"), ranks);
    for (const Bytes message : {1_KiB, 64_KiB, 1_MiB, 4_MiB, 32_MiB}) {
      if (!tried()) continue;
      const Call call{.ranks = ranks, .message = message};
      const Prediction form = library.predict(Collective::allreduce, call, engine("path")).prediction;
      const Prediction played = library.predict(Collective::allreduce, call, engine("simgrid")).prediction;
      EXPECT_EQ(form.transport, played.transport);
      EXPECT_NEAR(played.time / form.time, 1, bound) << ranks << " ranks, " << message.value;
    }
  }
}

/// On a node GPUs pass on a turn of a chunk while the next one comes: 64 KiB in LL and 4 MiB in LL128,
/// measured 16 and 75 us. Whole chunks would take 24 and 174 us.
TEST(Transport, aChainOnANodePassesChunksOnTurnByTurn) {
  const Library library("nccl-2.8", load_platform("abci-v"), 4);
  for (const Bytes message : {64_KiB, 4_MiB}) {
    const Call call{.ranks = 4, .message = message};
    const Prediction form = library.predict(Collective::broadcast, call, engine("path")).prediction;
    const Prediction played = library.predict(Collective::broadcast, call, engine("contention")).prediction;
    EXPECT_NEAR(played.time / form.time, 1, 0.25) << message.value;
  }
}

/// A last node with fewer GPUs has fewer channels, and so has every other; channels leave it only by the
/// network cards that its GPUs have behind their PCIe switches, and so do those of every other node.
TEST(Transport, theClosedFormStaysNearTheScheduleOnAPartialNode) {
  testing::EachOrOneIn tried(3);
  for (const auto& [platform, ranks] : std::initializer_list<std::pair<const char*, Rank>>{
           {"dgx-a100", 9}, {"dgx-a100", 12}, {"dgx-a100", 20}, {"dgx-1v", 12}, {"dgx-2", 40}, {"p4d", 12}}) {
    if (!tried()) continue;
    const Library library("nccl-2.18", load_platform(platform), ranks);
    for (const Bytes message : {64_KiB, 4_MiB, 256_MiB}) {
      const Call call{.ranks = ranks, .message = message};
      const Prediction form = library.predict(Collective::allreduce, call, engine("path")).prediction;
      const Prediction played = library.predict(Collective::allreduce, call, engine("contention")).prediction;
      EXPECT_LT(std::abs(std::log(played.time / form.time)), std::log(1.5))
          << platform << ", " << ranks << " ranks, " << message.value;
    }
  }
}

/// Four of the pairs of a hybrid cube mesh have no NVLink of their own. From 2.8 on another GPU passes their
/// messages on; before, they go through both cpus.
TEST(Transport, ncclSendGoesByWayOfAnotherGpu) {
  const auto alltoall = [](const char* policy) {
    const Library library(policy, load_platform("dgx-1v"), 8);
    return library.predict(Collective::alltoall, {.ranks = 8, .message = 1024_MiB}, engine("contention"))
        .prediction;
  };
  const Prediction before = alltoall("nccl-2.7"), after = alltoall("nccl-2.18");
  EXPECT_LT(after.time, 0.5 * before.time);
  EXPECT_GE(after.time, after.bound.time);
  EXPECT_NE(before.limited_by.find("cpu"), std::string::npos) << before.limited_by;
  EXPECT_EQ(after.limited_by.find("cpu"), std::string::npos) << after.limited_by;
}

/// Half of the GPUs receive from the one card across the sockets, at half its pace. It serves the others
/// meanwhile; waiting for each message took 1.4 times as long.
TEST(Transport, aCardWaitsForNoGpuFarFromIt) {
  Description d = load_platform("dgx-h100");
  set(d, "node.nics=1");
  const Library library("nccl-2.17", d, 16);
  for (const char* by : {"path", "contention"}) {
    const Prediction p =
        library.predict(Collective::alltoall, {.ranks = 16, .message = 256_MiB}, engine(by)).prediction;
    EXPECT_LT(p.time, 1.3 * p.bound.time) << by;
    EXPECT_NE(p.limited_by.find("cpu"), std::string::npos) << p.limited_by;
  }
}

/// NCCL says 25 us of NVLS on one node; 8 H100 take 42.2 us for 2 MiB, and 27.4 us for 1 MiB in LL, whose 24
/// channels cost nothing since 2.22 (all_reduce_perf of NVIDIA's recipes for DGX H100).
TEST(Transport, smallAllreducesOfHopper) {
  const auto allreduce = [](const char* policy, Bytes message) {
    const Library library(policy, load_platform("dgx-h100"), 8);
    return library.predict(Collective::allreduce, {.ranks = 8, .message = message}, engine("path"))
        .prediction;
  };
  const Prediction nvls = allreduce("nccl-2.28", 2_MiB), ll = allreduce("nccl-2.28", 1_MiB);
  EXPECT_EQ(nvls.algorithm->name, "nvls");
  EXPECT_NEAR(nvls.time.value * 1e6, 42.2, 0.1 * 42.2);
  EXPECT_NEAR(ll.time.value * 1e6, 27.4, 0.15 * 27.4);
  EXPECT_GT(allreduce("nccl-2.21:algo=Ring,proto=LL", 1_MiB).time, 1.5 * ll.time);
}

/// Software that was measured at the pace of the port speeds up with it; PCIe does not.
TEST(Transport, aFasterNetworkIsFaster) {
  Description d = load_platform("summit");
  const auto time = [&] {
    const Forecaster forecaster(d, 12);
    return forecaster.predict(algorithm(Collective::allreduce, "ring"), {.ranks = 12, .message = 64_MiB},
                              engine("path"));
  };
  const Prediction before = time();
  set(d, "network.bandwidth_GBps=100");
  EXPECT_LT(time().time, before.time);
}

/// A forced part of a policy is forced, the rest stays the policy's.
TEST(Transport, aPolicyMayBeToldAPart) {
  const Description d = load_platform("abci-v");
  const Call call{.ranks = 8, .message = 1_MiB};
  const Engine& path = engine("path");
  const Library nccl("nccl-2.18", d, 8);
  const auto all = nccl.predict_all(Collective::allreduce, call, path);
  ASSERT_EQ(all.size(), 6u);  // trees and rings, each by three protocols
  EXPECT_EQ(all[0].prediction.time, nccl.predict(Collective::allreduce, call, path).prediction.time);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].choice.why, "");
    if (i > 0) {
      EXPECT_GE(*all[i].estimate, *all[i - 1].estimate);
    }
    const Library told("nccl-2.18", d, 8, Placement::block, Memory::device,
                       parse_transport("nccl:" + all[i].choice.protocol));
    const auto one = told.predict(*all[i].choice.algorithm, call, path);
    EXPECT_EQ(one.prediction.time, all[i].prediction.time) << all[i].choice.protocol;
    EXPECT_EQ(one.prediction.transport, "nccl:" + all[i].choice.protocol);
  }
  const auto other = nccl.predict(algorithm(Collective::allreduce, "recursive-doubling"), call, path);
  EXPECT_EQ(other.prediction.transport, all[0].prediction.transport);
  EXPECT_FALSE(other.estimate);
  const Library over_mpi("nccl-2.18", d, 8, Placement::block, Memory::device, parse_transport("mpi"));
  EXPECT_EQ(over_mpi.predict(Collective::allreduce, call, path).prediction.transport, "mpi");
  EXPECT_EQ(complaint([&] {
              Library("nccl-2.18", d, 8, Placement::block, Memory::device, parse_transport("nccl-2.8:LL"));
            }),
            "--transport nccl-2.8:LL is of another release than --policy nccl-2.18");
}

/// A library's usual release goes with all of its others, and with none of the other library.
TEST(Transport, OfRcclGoesWithPoliciesOfRccl) {
  const auto made = [](const char* platform, const char* policy, const char* transport) {
    return complaint(
        [&] { Library(policy, load_platform(platform), 8, {}, Memory::device, parse_transport(transport)); });
  };
  EXPECT_EQ(made("azure-mi300x", "rccl-2.18", "rccl:LL"), "");
  EXPECT_EQ(made("azure-mi300x", "rccl-2.26", "rccl-2.18:LL"),
            "--transport rccl-2.18:LL is of another release than --policy rccl-2.26");
  EXPECT_EQ(made("azure-mi300x", "rccl-2.26", "nccl-2.26:LL"),
            "--transport nccl-2.26:LL is of another library than --policy rccl-2.26");
  EXPECT_EQ(made("dgx-h100", "nccl-2.26", "rccl:LL"),
            "--transport rccl:LL is of another library than --policy nccl-2.26");
  EXPECT_EQ(complaint([] {
              Forecaster(load_platform("frontier"), 16, {}, Memory::device, 0, parse_transport("rccl:LL128"));
            }),
            "--transport rccl-2.26:LL128: RCCL's tuner has no LL128 on nodes like those of frontier; LL and "
            "Simple are there");
}

Question told(const std::string& policy, const std::string& transport, const std::string& by = "path") {
  Question q;
  q.collectives = {"allreduce"}, q.platforms = {"abci-v"}, q.ranks = {8}, q.sizes = {64_KiB};
  q.policy = policy, q.engine = by;
  if (!transport.empty()) q.transport = parse_transport(transport);
  return q;
}

Question told_algorithm(Question q, const std::string& algorithm) {
  q.algorithm = algorithm;
  return q;
}

void expect_alike(const Question& one, const Question& other, const std::string& transport) {
  const Answer a = ask(one), b = ask(other);
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    const Prediction &p = a.rows[i].prediction, &q = b.rows[i].prediction;
    EXPECT_EQ(p.algorithm->name, q.algorithm->name);
    EXPECT_EQ(p.time, q.time) << one.policy << ' ' << transport << ' ' << one.engine << ' '
                              << p.algorithm->name;
    EXPECT_EQ(p.low, q.low);
    EXPECT_EQ(p.high, q.high);
    EXPECT_EQ(p.transport, transport);
  }
}

/// The policy chooses, what is forced sends: 64 KiB of MPICH are Rabenseifner's algorithm, by whatever.
TEST(Transport, aForcedOnePricesAPolicysChoice) {
  testing::EachOrOneIn tried(3);
  for (const char* by : {"path", "contention", can_simulate() ? "simgrid" : "path", "formula", "auto"})
    for (const char* transport : {"nccl:LL", "nccl:Simple", "links", "mvapich2-gdr"})
      if (tried())
        expect_alike(told("mpich", transport, by),
                     told_algorithm(told("fastest", transport, by), "rabenseifner"), transport);
  // 0.6 us of PCIe and 0.15 us of adapter at either end, a switch of 0.09 us; 8192 B at 11.5 GB/s.
  Question q = told("mpich", "links");
  q.collectives = {"broadcast"}, q.platforms = {"edr-cluster"}, q.ranks = {2}, q.sizes = {8_KiB};
  EXPECT_NEAR(ask(q).rows.at(0).prediction.time.value * 1e6, 1.59 + 8192 / 11500.0, 1e-6);
}

/// Sends that block have an eager limit of their own there, also where the platform's own way is asked for.
TEST(Transport, thePlatformsOwnChangesNothing) {
  for (const char* policy : {"mpich", "openmpi-4.1", "mvapich2-2.3"}) {
    Question q = told(policy, "mpi"), plain = told(policy, "");
    q.sizes = plain.sizes = {1_KiB, 8_KiB, 16_KiB, 64_KiB, 256_KiB, 1_MiB};
    q.memory = plain.memory = Memory::host;
    expect_alike(q, plain, "mpi");
  }
  expect_alike(told("mvapich2-gdr", "mvapich2-gdr"), told("mvapich2-gdr", ""), "mvapich2-gdr");
}

TEST(Transport, ofNcclItIsWhatNcclIsTold) {
  testing::EachOrOneIn tried(36);
  for (const char* by : {"path", "contention", can_simulate() ? "simgrid" : "path"})
    for (const std::string protocol : {"LL", "LL128", "Simple"})
      for (const char* algorithm : {"auto", "double-tree", "multi-ring", "all"})
        if (tried())
          expect_alike(told_algorithm(told("nccl-2.18", "nccl:" + protocol, by), algorithm),
                       told_algorithm(told("nccl-2.18:proto=" + protocol, "", by), algorithm),
                       "nccl:" + protocol);
  // Nothing of the policy is left.
  for (const char* by : {"path", "contention", "formula"})
    expect_alike(told_algorithm(told("nccl-2.8", "nccl:LL", by), "recursive-doubling"),
                 told_algorithm(told("fastest", "nccl-2.8:LL", by), "recursive-doubling"), "nccl-2.8:LL");
  Question nvls = told_algorithm(told("nccl-2.19", "nccl:Simple"), "nvls"),
           alone = told_algorithm(told("fastest", "nccl-2.19:Simple"), "nvls");
  nvls.platforms = alone.platforms = {"dgx-h100"};
  const Prediction under_policy = ask(nvls).rows.at(0).prediction;
  const Call& chunks = under_policy.call;  // NCCL's
  alone.call.segment =
      std::to_string(std::llround(chunks.message.value / static_cast<double>(chunks.segments)));
  const Prediction by_itself = ask(alone).rows.at(0).prediction;
  // A policy knows that it plays NVLS: of the 23 us that NCCL 2.19 says of it, two steps are any kernel's.
  EXPECT_NEAR((under_policy.time - by_itself.time).value * 1e6, 23 - 2 * 3.4, 1e-6);
  EXPECT_GT(under_policy.high / by_itself.high, 1.2);  // what the transport leaves out
  EXPECT_NE(complaint([&] {
              ask(told_algorithm(told("nccl-2.18", "nccl:LL"), "nvls"));
            }).find("nccl-2.18:algo=NVLS,proto=LL leaves nothing to play allreduce with"),
            std::string::npos);
}

/// What NCCL estimates of its own transport says nothing of another one, on which its protocols are alike.
TEST(Transport, ncclsChoiceOverAnotherOne) {
  const Answer all = ask(told_algorithm(told("nccl-2.18", "mpi"), "all"));
  ASSERT_EQ(all.rows.size(), 2u);
  EXPECT_EQ(all.rows[0].prediction.algorithm->name, "double-tree");
  EXPECT_EQ(all.rows[1].prediction.algorithm->name, "multi-ring");
  const Answer picked = ask(told("nccl-2.18", "mpi"));
  EXPECT_EQ(picked.rows.at(0).prediction.time, all.rows[0].prediction.time);
  for (const Answer::Row& r : all.rows) {
    EXPECT_EQ(r.prediction.transport, "mpi");
    EXPECT_FALSE(r.estimate);
    EXPECT_EQ(r.protocol, "");
    EXPECT_NE(r.why.find("on its own transport, which mpi replaces"), std::string::npos) << r.why;
  }
}

/// Of all that a library has each row is asked again by itself.
TEST(Transport, sensitivityIsOfItsRow) {
  if (address_sanitizer) GTEST_SKIP() << "a thousand forecasts, whose numbers are compared";
  Question all = told_algorithm(told("nccl-2.18:proto=LL", ""), "all");
  all.sizes = {64_KiB, 64_MiB}, all.sensitivity = true;
  const Answer answer = ask(all);
  std::vector<double> largest;
  for (const Bytes size : all.sizes) {
    Question one = told("nccl-2.18:proto=LL", "");
    one.sizes = {size}, one.sensitivity = true;
    const Answer::Row picked = ask(one).rows.at(0);
    const auto same = std::ranges::find_if(
        answer.rows, [size](const Answer::Row& r) { return *r.picked && r.prediction.call.message == size; });
    ASSERT_NE(same, answer.rows.end());
    largest.push_back(picked.sensitivity.at(0).elasticity);
    EXPECT_EQ(same->sensitivity.at(0).elasticity, largest.back());
  }
  EXPECT_NE(largest[0], largest[1]);
}

TEST(Transport, whatDoesNotGoTogether) {
  EXPECT_EQ(complaint([] { ask(told("nccl-2.18:proto=Simple", "nccl:LL")); }),
            "--transport nccl:LL and --policy nccl-2.18:proto=Simple name different protocols");
  for (const char* policy : {"nccl-2.18", "mpich"}) {
    Question q = told(policy, "nccl:LL128");
    q.platforms = {"rtx2080ti-cluster"};
    EXPECT_EQ(complaint([&] { ask(q); }),
              "--transport nccl-2.18:LL128 needs NVLink between the GPUs of a node, which rtx2080ti-cluster "
              "does not have");
  }
  Question host = told("mpich", "nccl:LL");
  host.memory = Memory::host;
  EXPECT_EQ(complaint([&] { ask(host); }),
            "--transport nccl:LL sends from device buffers only: it does not go with --memory host");
  host = told("nccl-2.18", "links");
  host.transport = {}, host.memory = Memory::host;
  EXPECT_EQ(complaint([&] { ask(host); }),
            "nccl-2.18 sends from device buffers only: it does not go with --memory host");
}

/// Leaf uplinks that are slower than a rail's card slow down what crosses the spine.
TEST(Transport, thePathSeesTheMostLoadedLink) {
  Description d = load_platform("abci-a");
  set_all(d, {"max_nodes=8", "network.levels.0.down=4", "network.levels.0.up=1"});
  const auto time = [&] {
    return Library("nccl-2.18", d, 64)
        .predict(Collective::allreduce, {.ranks = 64, .message = 256_MiB}, engine("path"))
        .prediction;
  };
  const Prediction aligned = time();
  EXPECT_EQ(aligned.limited_by, "network proxies and cards");
  set(d, "network.levels.0.bandwidth_GBps=5");
  EXPECT_GT(time().time, 1.5 * aligned.time);
  EXPECT_NE(time().limited_by.find("leaf"), std::string::npos) << time().limited_by;
}

/// NCCL's rings go from GPU to GPU, however the ranks on them are numbered.
TEST(Transport, ringsOfNcclDoNotDependOnTheNumbersOfRanks) {
  const auto time = [](Placement placement, const char* reading) {
    const Call call{.ranks = 16, .message = 4_MiB};
    return Library("nccl-2.18:algo=Ring,proto=Simple", load_platform("dgx-1v"), 16, placement)
        .predict(Collective::allreduce, call, engine(reading))
        .prediction.time;
  };
  for (const char* reading : {"path", "contention"})
    EXPECT_NEAR(time(Placement::by_socket, reading) / time(Placement::block, reading), 1, 1e-3) << reading;
}

/// A link between switches that is slower than the ports slows down a ring once.
TEST(Transport, thePathCountsASlowLinkOfTheNetworkOnce) {
  Description d = load_platform("edr-cluster");
  set_all(d, {"network.kind=torus", "network.dimensions=8", "max_nodes=8", "network.link_bandwidth_GBps=3"});
  const Call call{.ranks = 4, .message = 256_MiB};
  const Seconds time = Library("nccl-2.18:algo=Ring,proto=Simple", d, 4)
                           .predict(Collective::allreduce, call, engine("path"))
                           .prediction.time;
  EXPECT_NEAR(time / (2 * 3.0 / 4 * call.message / BytesPerSecond(3e9)), 1, 0.02);
}

/// Eight nodes of 4 A100 and two rails, four nodes a leaf, with so many uplinks of a rail's rate for each.
Description tapered(int up) {
  Description d = load_platform(COLLCAST_SOURCE_DIR "/tests/forecast/tapered-a100.json");
  set(d, "network.levels.0.up=" + std::to_string(up));
  return d;
}

Seconds of_ring(const Description& d, const Placement& placement, const char* reading) {
  const Call call{.ranks = 32, .message = 64_MiB};
  return Library("nccl-2.18:algo=Ring,proto=Simple,channels=4", d, 32, placement)
      .predict(Collective::allreduce, call, engine(reading))
      .prediction.time;
}

/// Messages of ncclSend that wait for an uplink hold up none that go elsewhere: an alltoall takes little more
/// than the busiest uplink does.
TEST(Transport, pairsShareTheirCardBeforeATaper) {
  for (const auto& [up, most] : {std::pair(1, 1.02), {2, 1.2}}) {
    const Library library("nccl-2.18", tapered(up), 32);
    const Prediction p =
        library.predict(Collective::alltoall, {.ranks = 32, .message = 256_MiB}, engine("contention"))
            .prediction;
    EXPECT_LT(p.time, most * p.bound.time) << up;
  }
}

/// A ring that goes from node to node crosses the spine twice, on one uplink each way. One whose neighbours
/// sit on different leaves has four messages of each rail on the one uplink that a leaf has left.
TEST(Transport, taperSlowsDownWhatCrossesTheSpine) {
  Placement across(Placement::listed);
  for (int r = 0; r < 32; ++r) across.lines.push_back({r, r / 4 / 2 + r / 4 % 2 * 4, -1, r % 4});
  for (const char* reading : {"path", "contention"}) {
    const auto slower = [&](const Placement& placement) {
      return of_ring(tapered(1), placement, reading) / of_ring(tapered(4), placement, reading);
    };
    EXPECT_NEAR(slower(Placement::block), 1, 0.02) << reading;
    EXPECT_GT(slower(across), 2) << reading;
  }
}

/// On those leaves NCCL's closed form follows the taper as contention does, at sizes whose bytes alone would
/// not show it, and names the uplink.
TEST(Transport, theClosedFormFollowsATaper) {
  Placement across(Placement::listed);
  for (int r = 0; r < 32; ++r) across.lines.push_back({r, r / 4 / 2 + r / 4 % 2 * 4, -1, r % 4});
  testing::EachOrOneIn tried(3);
  for (const Bytes message : {4_MiB, 1_MiB, 64_MiB}) {
    if (!tried()) continue;
    const auto slower = [&](const char* reading) {
      const auto time = [&](int up) {
        return Library("nccl-2.18:algo=Ring", tapered(up), 32, across)
            .predict(Collective::allreduce, {.ranks = 32, .message = message}, engine(reading))
            .prediction;
      };
      const Prediction narrow = time(1);
      if (message >= 4_MiB && *reading == 'p') {
        EXPECT_EQ(narrow.limited_by.rfind("leaf", 0), 0u) << narrow.limited_by;
      }
      return narrow.time / time(4).time;
    };
    const double played = slower("contention");
    EXPECT_GT(played, 1.1) << message.value;
    EXPECT_NEAR(slower("path") / played, 1, 0.25) << message.value << ' ' << played;
    EXPECT_EQ(slower("auto"), slower("path"));
  }
}

/// Of four adapters on each PCIe switch two are next to its two GPUs.
TEST(Transport, adaptersThatNoRankIsNextToAreCounted) {
  Description d = load_platform("p4d");
  EXPECT_EQ(Machine(d, 16).idle_adapters(), 0);
  set(d, "node.nics=16");
  EXPECT_EQ(Machine(d, 16).idle_adapters(), 8);
}

}  // namespace
}  // namespace collcast
