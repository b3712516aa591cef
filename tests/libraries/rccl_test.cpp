// SPDX-License-Identifier: Apache-2.0
#include "libraries/nccl/rccl.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "libraries/nccl/transport.hpp"
#include "libraries/situation.hpp"
#include "platforms/description/load.hpp"
#include "support/json.hpp"
#include "tests/complaint.hpp"

namespace collcast::nccl {
namespace {

using collcast::testing::complaint;

Candidate chosen(const char* platform, Rank ranks, Collective collective, double bytes,
                 const char* policy = "rccl-2.26") {
  const Situation s = situation(load_platform(platform), ranks, policy);
  return choose(*parse(policy), collective, {.ranks = ranks, .message = Bytes(bytes)}, s);
}

/// Rings of one node: how often they go from GPU a to GPU b.
std::map<std::pair<int, int>, int> crossed(const Channels& rings) {
  std::map<std::pair<int, int>, int> times;
  for (const Channels::Channel& ring : rings.channels) {
    EXPECT_EQ(std::set<int>(ring.gpus.begin(), ring.gpus.end()).size(), ring.gpus.size());
    for (std::size_t i = 0; i < ring.gpus.size(); ++i)
      ++times[{ring.gpus[i], ring.gpus[(i + 1) % ring.gpus.size()]}];
  }
  return times;
}

TEST(Rccl, ItsRingsShareTheLinksOfMi300x) {
  const Channels c = channels(load_platform("azure-mi300x"), 1, 8, "rccl-2.26");
  ASSERT_EQ(c.channels.size(), 28u);
  // 28 rings of 8 edges on 56 links one way; 48 GB/s each.
  for (const auto& [step, times] : crossed(c)) EXPECT_EQ(times, 4) << step.first << " to " << step.second;
  EXPECT_NEAR(c.bandwidth.value, 12e9, 1);
  const Situation s = situation(load_platform("azure-mi300x"), 8, "rccl-2.26");
  EXPECT_EQ(s.rccl_tuning, 5);
  EXPECT_EQ(parse("rccl-2.26")->all_channels(s), 56);
  EXPECT_EQ(parse("rccl-2.26:channels=4")->all_channels(s), 4);
}

/// One link of 50 GB/s between some GPUs, which a ring each way crosses.
TEST(Rccl, ItsRingsOnMi250xAreAsFastAsTheirThinnestLinks) {
  const Channels one = channels(load_platform("frontier"), 1, 8, "rccl-2.18");
  EXPECT_EQ(one.channels.size(), 4u);
  EXPECT_NEAR(one.bandwidth.value, 50e9, 1);
}

/// Each ring visits each GPU once, and enters by each card as often as by each other.
TEST(Rccl, ItsRingsOnSeveralNodesShareTheCards) {
  for (const auto& [platform, gpus, rings, cards] :
       {std::tuple("frontier", 8, 8u, 4u), {"azure-mi300x", 8, 64u, 8u}, {"el-capitan", 4, 12u, 4u}}) {
    const Channels c = channels(load_platform(platform), 2, gpus, "rccl-2.26");
    ASSERT_EQ(c.channels.size(), rings) << platform;
    crossed(c);
    std::map<int, std::size_t> entered;
    for (const Channels::Channel& ring : c.channels) ++entered[ring.nic];
    EXPECT_EQ(entered.size(), cards) << platform;
    for (const auto& [card, times] : entered) EXPECT_EQ(times, rings / cards) << platform << ' ' << card;
  }
}

/// Its set of MI250X on several nodes has no LL128: forced, there is nothing to choose.
TEST(Rccl, HasNoLl128OnNodesOfMi250x) {
  EXPECT_EQ(
      complaint([] { chosen("frontier", 16, Collective::allreduce, 1 << 20, "rccl-2.26:proto=LL128"); }),
      "rccl-2.26:proto=LL128 leaves nothing to play allreduce with");
}

/// Of nodes that RCCL does not recognise, NCCL's search finds rings.
TEST(Rccl, OtherNodesAreSearched) {
  const Channels four = channels(load_platform("azure-mi300x"), 1, 4, "rccl-2.26");
  ASSERT_FALSE(four.channels.empty());
  for (const Channels::Channel& ring : four.channels) EXPECT_EQ(ring.gpus.size(), 4u);
  EXPECT_NE(situation(load_platform("azure-mi300x"), 4, "rccl-2.26").rccl_tuning,
            situation(load_platform("azure-mi300x"), 8, "rccl-2.26").rccl_tuning);
}

/// GPUs 0 and 4 of MI250X have no link of their own: two rings of 18 GB/s go by the processors. A GPU alone
/// on its node has only its card.
TEST(Rccl, GpusWithoutLinksBetweenThemHaveTheirChannels) {
  const Description whole = load_platform("frontier");
  const auto on = [&](std::vector<std::string> gpus, Rank ranks) {
    Json json = whole.json();
    json["node"]["ranks_on"] = gpus, json["node"]["ranks_per_node"] = gpus.size();
    return situation(Description(whole.name(), whole.file(), std::move(json)), ranks, "rccl-2.26");
  };
  EXPECT_NEAR(on({"gpu0", "gpu4"}, 2).rccl_links.value, 36e9, 1);
  const Situation alone = on({"gpu0"}, 2);
  EXPECT_NEAR(alone.rccl_links.value, alone.channels * alone.inter_bandwidth.value, 1);
  EXPECT_GT(alone.rccl_links.value, 0);
}

/// Eight MI300X: 7 links of 48 GB/s; 14 steps of 0.8 us and a launch of 12 in LL, at 8 % of the links; of 2.1
/// and 17 in Simple.
TEST(Rccl, ItsModelByHand) {
  const Candidate ll = chosen("azure-mi300x", 8, Collective::allreduce, 1024);
  EXPECT_EQ(ll.shape, Shape::ring);
  EXPECT_EQ(ll.protocol, Protocol::ll);
  EXPECT_NEAR(ll.time.value * 1e6, 23.2 + 1024 / 15.36e3, 1e-3);
  const Candidate simple = chosen("azure-mi300x", 8, Collective::allreduce, 8 << 20);
  EXPECT_EQ(simple.protocol, Protocol::simple);
  EXPECT_NEAR(simple.time.value * 1e6, 46.4 + (8 << 20) / 192e3, 1e-3);
  // Both take as long at 387 kB.
  EXPECT_EQ(chosen("azure-mi300x", 8, Collective::allreduce, 387e3).protocol, Protocol::ll);
  EXPECT_EQ(chosen("azure-mi300x", 8, Collective::allreduce, 388e3).protocol, Protocol::simple);
}

TEST(Rccl, LimitsReplaceItsChoiceOnSeveralNodes) {
  const auto protocol = [](Rank ranks, Collective c, double bytes) {
    return chosen("azure-mi300x", ranks, c, bytes).protocol;
  };
  EXPECT_EQ(protocol(16, Collective::allreduce, 1 << 20), Protocol::ll);
  EXPECT_EQ(protocol(16, Collective::allreduce, (1 << 20) + 4), Protocol::ll128);
  EXPECT_EQ(protocol(16, Collective::allreduce, 10 << 20), Protocol::simple);
  EXPECT_EQ(protocol(24, Collective::allreduce, 34 << 20), Protocol::ll128);   // 3.8 times as far
  EXPECT_EQ(protocol(16, Collective::allgather, 16 * 98304.0), Protocol::ll);  // of a rank's part
  EXPECT_EQ(protocol(16, Collective::allgather, 16 * 98312.0), Protocol::ll128);
  // 2.18 has no LL128 there.
  EXPECT_NE(chosen("azure-mi300x", 16, Collective::allreduce, 2 << 20, "rccl-2.18").protocol,
            Protocol::ll128);
}

/// Twice the nodes are one more hop of a tree each way: 10.5 us and the network's latency, 32 KiB on the wire
/// at some 45 GB/s, twice where two children meet, and 8 turns of a channel's 16 KiB of 0.9 us. What holds LL
/// to 8 % of the links are the flags on these, of which a hop has none.
TEST(Rccl, AHopOfLlIsNotHeldByTheLinksOfANode) {
  const auto time = [](Rank ranks) {
    const Situation s = situation(load_platform("azure-mi300x"), ranks, "rccl-2.26");
    return play(*parse("rccl-2.26"), Collective::allreduce, {.ranks = ranks, .message = Bytes(1 << 20)}, s,
                {Shape::tree, Protocol::ll, {}, {}, {}}, published_software(26, s))
        .time;
  };
  const double us = (time(64) - time(32)).value * 1e6;
  EXPECT_GT(us, 2 * (10.5 + 7 * 0.9));
  EXPECT_LT(us, 2 * (10.5 + 7 * 0.9 + 5));
}

TEST(Rccl, EachLibraryHasItsGpus) {
  const auto refusal = [](const char* platform, const char* policy) {
    return complaint([&] { situation(load_platform(platform), 2, policy); });
  };
  EXPECT_EQ(refusal("dgx-a100", "rccl-2.26"),
            "rccl-2.26 does not support the ampere GPU A100-SXM4-80GB; it supports CDNA 2 and 3 of AMD, "
            "nccl-2.18 this one");
  EXPECT_EQ(
      refusal("azure-mi300x", "nccl-2.18"),
      "nccl-2.18 does not support the cdna3 GPU MI300X; it supports those of NVIDIA, rccl-2.26 this one");
  EXPECT_EQ(complaint([] { check_policy("rccl-2.20"); }).substr(0, 26), "unknown policy 'rccl-2.20'");
}

}  // namespace
}  // namespace collcast::nccl
