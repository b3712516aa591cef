// SPDX-License-Identifier: Apache-2.0
#include "libraries/nccl/transport.hpp"

#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "model/critical_path.hpp"
#include "support/error.hpp"

namespace collcast::nccl {
namespace {

using namespace literals;

constexpr int release = 8;

/// Nodes of four V100 that are joined by NVLink and have two network cards.
Situation v100(Rank nodes) {
  Situation s{.nodes = nodes, .channels = nodes == 1 ? 6 : 2, .same_channels = false};
  s.intra_bandwidth = s.inter_bandwidth = BytesPerSecond(nodes == 1 ? 21e9 : 12e9);
  s.rails = 2, s.rail_bandwidth = BytesPerSecond(12.12e9);
  return s;
}

Call message_call(Rank ranks, Bytes message) {
  return {.ranks = ranks, .message = message};
}

Play played(Collective collective, Rank ranks, Bytes message, Shape shape, Protocol protocol,
            const Situation& s, const Software& software, int minor = release) {
  Candidate candidate;
  candidate.shape = shape, candidate.protocol = protocol;
  return play({minor}, collective, message_call(ranks, message), s, candidate, software);
}

Play tree(int minor, Rank ranks, Bytes message, Protocol protocol, const Situation& s) {
  return played(Collective::allreduce, ranks, message, Shape::tree, protocol, s, published_software(minor, s),
                minor);
}

Play ring(Rank ranks, Bytes message, Protocol protocol, const Situation& s) {
  return played(Collective::allreduce, ranks, message, Shape::ring, protocol, s,
                published_software(release, s));
}

/// 512 threads move 8 bytes each in a turn; a message of 16 KiB is enough for 512 threads of 4 ranks with 8
/// bytes each for every rank, not for a second channel. A channel moves 39 / 12 GB/s.
TEST(NcclTransport, one_turn_of_ll_by_hand) {
  const Play p = ring(4, 16_KiB, Protocol::ll, v100(1));
  EXPECT_EQ(p.channels, 1);
  EXPECT_EQ(p.threads, 512);
  EXPECT_EQ(p.chunk, Bytes(4096));
  EXPECT_NEAR(p.time.value * 1e6, 3.6 + 6 * (.47 + 4096 / 3250.0), 1e-9);
}

/// A100 have their own launch, step and channels in all releases; a channel moves 87.7 / 24 GB/s.
TEST(NcclTransport, one_turn_of_ll_on_a100_by_hand) {
  Situation s{.channels = 12, .gpu = Gpu::ampere};
  s.intra_bandwidth = s.inter_bandwidth = BytesPerSecond(21e9);
  EXPECT_NEAR(ring(4, 16_KiB, Protocol::ll, s).time.value * 1e6, 7.5 + 6 * (.8 + 4096 / (87700.0 / 24)),
              1e-9);
  EXPECT_NEAR((ring(4, 32_KiB, Protocol::ll, s).time - ring(4, 16_KiB, Protocol::ll, s).time).value * 1e6,
              1.2, 1e-9);
  EXPECT_EQ(published_software(18, s).ring_launch[0], 7.5);
  EXPECT_EQ(published_software(18, s).channel[0], 1.2);
  EXPECT_EQ(published_software(22, s).channel[0], 0);
  EXPECT_EQ(ll_slowdown(22, s), 1);
  s.nodes = 2;
  EXPECT_EQ(ll_slowdown(22, s), 1.8);
  s.nodes = 1;
  s.link = NodeLink::pci;
  EXPECT_EQ(published_software(release, s).ring_launch[0], 3.6);
}

/// A channel of LL alone moves half of what Simple does on Hopper; 16 of them share 141 GB/s. A turn of each
/// rank is 4 KiB a channel. Eight H100 of p5.48xlarge took 18.3 to 19.1 us for 64 KiB and 21.0 us for 512
/// KiB.
TEST(NcclTransport, channels_of_ll_on_hopper_share_what_a_gpu_moves) {
  Situation s{.channels = 12, .same_channels = true};
  s.intra_bandwidth = s.inter_bandwidth = BytesPerSecond(30e9);
  s.gpu = Gpu::hopper;
  for (const auto& [message, channels, GBps] :
       {std::tuple{64_KiB, 2, 389.0 / 32}, {256_KiB, 8, 389.0 / 32}, {512_KiB, 16, 141.0 / 16}}) {
    Candidate candidate;
    candidate.shape = Shape::ring, candidate.protocol = Protocol::ll;
    const Play p =
        play({22}, Collective::allreduce, message_call(8, message), s, candidate, published_software(22, s));
    EXPECT_EQ(p.channels, channels);
    EXPECT_NEAR(p.time.value * 1e6, 6.6 + 14 * (.6 + 4096 / (GBps * 1e3)), 1e-9);
  }
}

TEST(NcclTransport, small_messages_get_fewer_threads) {
  const Play p = ring(4, 1_KiB, Protocol::ll, v100(1));
  EXPECT_EQ(p.channels, 1);
  EXPECT_EQ(p.threads, 64);
}

/// 32 MiB on 12 channels of 4 ranks: chunks of 699051 bytes at 21/2 GB/s, six steps of 3.4 us; 11 channels
/// more to launch.
TEST(NcclTransport, simple_on_a_node_by_hand) {
  const Play p = ring(4, 32_MiB, Protocol::simple, v100(1));
  EXPECT_EQ(p.channels, 12);
  const double chunk = 33554432.0 / 48;
  EXPECT_NEAR(p.chunk.value, chunk, 1e-6);
  EXPECT_NEAR(p.time.value * 1e6, 8.4 + 11 * 1.05 + 6 * (3.4 + chunk / 10500) + chunk / 2 / 10500, 1e-6);
  EXPECT_EQ(p.limited_by, "channels of the GPU");
}

/// LL128 sends 128 bytes for 120; chunks are multiples of half a turn of 640 threads, 19200 bytes: 14 of them
/// here, so that 97.5 % of the chunks are filled. Two channels share a card.
TEST(NcclTransport, proxies_and_cards_by_hand) {
  const Play p = ring(32, 32_MiB, Protocol::ll128, v100(8));
  EXPECT_EQ(p.chunk, Bytes(268800));
  const double filled = 33554432 / (4 * 32 * 268800.0), busy = 2 * (4.0 + 268800 * (128.0 / 120) / 12120);
  EXPECT_NEAR(p.time.value * 1e6, 10 + 3 * 1.05 + 62 * filled * busy + (268800 - 38400) / 8450.0, 1e-6);
  EXPECT_EQ(p.limited_by, "network proxies and cards");
}

/// Chunks of 57600 bytes on each of 12 channels of 4 ranks; three of four hold data. In six steps, some rank
/// meets the empty one once.
TEST(NcclTransport, the_rank_with_most_filled_chunks_by_hand) {
  const Play p = ring(4, Bytes(48 * 43200), Protocol::ll128, v100(1));
  ASSERT_EQ(p.channels, 12);
  ASSERT_EQ(p.chunk, Bytes(57600));
  EXPECT_NEAR(p.time.value * 1e6, 10 + 11 * 1.05 + 5 * (1.9 + 57600 / 8450.0) + 19200 / 8450.0, 1e-6);
}

/// 8 bytes more for each of four channels than 32 KiB, LL's chunk in a tree: what is left is a chunk of its
/// own, as large as it is.
TEST(NcclTransport, the_last_chunk_of_a_tree_by_hand) {
  const Situation s = v100(2);
  const Software software = published_software(release, s);
  const auto time = [&](Bytes message) {
    return played(Collective::allreduce, 8, message, Shape::tree, Protocol::ll, s, software).time;
  };
  EXPECT_NEAR((time(128_KiB + 32_B) - time(128_KiB)).value * 1e6, 2 * (.52 * 1.8 + 32 / 3250.0), 1e-6);
}

/// Of 64 KiB each of 32 ranks has 2 KiB, less than the least chunk of 19200 bytes: one channel carries them.
TEST(NcclTransport, an_allgather_of_parts_of_a_chunk_by_hand) {
  const Situation s = v100(8);
  const Play p = played(Collective::allgather, 32, 64_KiB, Shape::ring, Protocol::ll128, s,
                        published_software(release, s));
  EXPECT_EQ(p.chunk, 2_KiB);
  EXPECT_NEAR(p.time.value * 1e6, 10 + 3 * 1.05 + 31 * (4 + 2048 * (128.0 / 120) / 12120), 1e-6);
}

/// 64 chunks of 128 KiB on each of 4 channels, of which a card carries one of each tree. Up, a node inside
/// the first tree receives two and sends one there; a leaf of the second, it sends one: two each way for two
/// channels, and as many down. 2 * 32 MiB in all pass the node's two cards each way, at 12.12 GB/s. The first
/// chunk climbs three steps and three levels, behind a brother's on two of them.
TEST(NcclTransport, a_double_tree_by_hand) {
  const Situation s = v100(8);
  const Play p = played(Collective::allreduce, 32, 32_MiB, Shape::tree, Protocol::simple, s,
                        published_software(release, s));
  ASSERT_EQ(p.channels, 4);
  ASSERT_EQ(p.chunk, 128_KiB);
  const double wire = 131072 / 12120.0, kernel = 131072 / 13250.0;
  const double first = 2 * (3 * (3.4 + kernel) + 3 * (9.6 + wire + kernel) + 2 * wire);
  EXPECT_NEAR((p.time - p.launch).value * 1e6, first + 2 * 63 * 2 * wire, 1e-6);
  EXPECT_EQ(p.limited_by, "network proxies and cards");
}

/// With two nodes, each above the other in one of the trees, a card passes half of that.
TEST(NcclTransport, a_double_tree_of_two_nodes_by_hand) {
  const Situation s = v100(2);
  const Software software = published_software(release, s);
  const auto time = [&](Bytes message) {
    return played(Collective::allreduce, 8, message, Shape::tree, Protocol::ll128, s, software).time;
  };
  const double all = 2 * 33554432.0 / 2 / 2 * (128.0 / 120) / 12120;  // LL128: up and down at once
  EXPECT_GE((time(64_MiB) - time(32_MiB)).value * 1e6, all - 1e-6);
}

TEST(NcclTransport, trees_go_up_and_down_at_once_since_2_10) {
  for (const Protocol protocol : {Protocol::ll, Protocol::simple}) {
    EXPECT_FALSE(ways(9, protocol, Gpu::volta, 512).at_once);
    EXPECT_TRUE(ways(10, protocol, Gpu::volta, 512).at_once);
    EXPECT_FALSE(ways(26, protocol, Gpu::cdna3, 256).at_once);
  }
  EXPECT_TRUE(ways(9, Protocol::ll128, Gpu::volta, 640).at_once);
  EXPECT_EQ(ways(10, Protocol::ll, Gpu::volta, 512).up.threads, 11.0 / 16);
  EXPECT_EQ(ways(10, Protocol::ll, Gpu::volta, 96).up.threads, 2.0 / 3);
  const Situation s = v100(2);
  EXPECT_EQ(tree(9, 8, 512_B, Protocol::ll, s).threads, 64);
  EXPECT_EQ(tree(21, 8, 512_B, Protocol::ll, s).threads, 96);
  EXPECT_EQ(tree(22, 8, 512_B, Protocol::ll, s).threads, 640);
}

/// A turn of the 11 warps that go up is 2816 bytes, of the other five 1280. The first chain hands its second
/// turn on a turn later; at the root all warps have the chunk; its last three turns go down a step apart.
TEST(NcclTransport, both_ways_of_an_ll_tree_by_hand) {
  const Play p = tree(18, 8, 4_KiB, Protocol::ll, v100(2));
  ASSERT_EQ(p.channels, 1);
  EXPECT_EQ(p.turn, Bytes(1280));
  const double up = 2816 / 3250.0, down = 1280 / 3250.0, across = 5 + 8192 / 12120.0;
  EXPECT_NEAR((p.time - p.launch).value * 1e6,
              3 * (.6 + up) + 2 * up + across + 4096 / 3250.0 + across + 3 * (.6 + down) + 3 * .6, 1e-9);
}

/// Each way has half of 13.25 GB/s, at the root one has all. A card passes four chunks of a loop each way, up
/// and down at once.
TEST(NcclTransport, both_ways_of_a_simple_tree_by_hand) {
  const Play p = tree(18, 32, 32_MiB, Protocol::simple, v100(8));
  ASSERT_EQ(p.chunk, 128_KiB);
  const double wire = 131072 / 12120.0, kernel = 131072 / 6625.0;
  const double levels = 3 * (3.4 + kernel) + 3 * (14 + wire) + 2 * (wire + kernel);
  EXPECT_NEAR((p.time - p.launch).value * 1e6, 2 * levels + kernel + kernel / 2 + 63 * 4 * wire, 1e-6);
  EXPECT_EQ(tree(22, 32, 32_MiB, Protocol::simple, v100(8)).chunk, 512_KiB);
}

/// One GPU a node, over PCIe: while chunks climb, one channel leaves by each card and one comes in, so each
/// has a way of the card to itself, and 2 * 16 MiB more pass it each way.
TEST(NcclTransport, a_double_tree_of_two_lone_gpus_by_hand) {
  Situation s = v100(2);
  s.link = NodeLink::pci, s.channels = 1;
  s.rails = 1, s.intra_bandwidth = s.rail_bandwidth = BytesPerSecond(11e9);
  const auto time = [&](Bytes message) {
    return played(Collective::allreduce, 2, message, Shape::tree, Protocol::simple, s,
                  published_software(release, s))
        .time;
  };
  EXPECT_NEAR((time(64_MiB) - time(32_MiB)).value * 1e6, 33554432 / 11000.0, 1e-6);
}

/// 8 B in LL, on a channel of the first tree: the first node's chain of four GPUs is climbed while the chunk
/// of the two on the other comes over, as if both had two. If the first node is the one with two, its chunk
/// waits for all four.
TEST(NcclTransport, a_tree_of_two_unequal_nodes_by_hand) {
  const auto time = [](Rank ranks, Rank most, Rank on_the_first) {
    Situation s = v100(2);
    s.on_a_node = most, s.on_the_first = on_the_first;
    return played(Collective::allreduce, ranks, Bytes(8), Shape::tree, Protocol::ll, s,
                  published_software(release, s))
        .time;
  };
  EXPECT_EQ(time(6, 4, 4), time(4, 2, 2));
  EXPECT_EQ(time(6, 4, 2), time(8, 4, 4));
}

/// Six rings of 21 GB/s in all: a channel alone moves what NCCL's limit gives each of a pair, 26.5 / 2 GB/s;
/// 24 share the links.
TEST(NcclTransport, as_many_channels_as_it_was_told) {
  const Situation s = v100(1);
  const auto simple = [&](int channels) {
    Candidate candidate;
    candidate.shape = Shape::ring, candidate.protocol = Protocol::simple;
    const Policy policy{.release = release, .channels = channels};
    return play(policy, Collective::allreduce, message_call(4, 6_MiB), s, candidate,
                published_software(release, s));
  };
  const double one = 6291456.0 / 4, many = one / 24;
  EXPECT_EQ(simple(1).channels, 1);
  EXPECT_NEAR(simple(1).time.value * 1e6, 8.4 + 6 * (3.4 + one / 13250) + one / 2 / 13250, 1e-6);
  EXPECT_EQ(simple(24).channels, 24);
  EXPECT_NEAR(simple(24).time.value * 1e6, 8.4 + 23 * 1.05 + 6 * (3.4 + many / 5250) + many / 2 / 5250, 1e-6);
}

/// The 268800 bytes of the last case, with LL128's flags, from GPU memory at 6 GB/s; and a network that takes
/// 10 us longer than InfiniBand, for a turn of LL round four of its nodes.
TEST(NcclTransport, gpudirect_and_a_slow_network_by_hand) {
  Situation s = v100(8);
  s.gpudirect_bandwidth = BytesPerSecond(6e9);
  const Play p = ring(32, 32_MiB, Protocol::ll128, s);
  const double filled = 33554432 / (4 * 32 * 268800.0), busy = 2 * 268800 * (128.0 / 120) / 6000;
  EXPECT_NEAR(p.time.value * 1e6, 10 + 3 * 1.05 + 62 * filled * busy + (268800 - 38400) / 8450.0, 1e-6);
  Situation far = v100(4);
  far.network_latency = Seconds(10e-6);
  const Seconds more = ring(16, 1_KiB, Protocol::ll, far).time - ring(16, 1_KiB, Protocol::ll, v100(4)).time;
  EXPECT_NEAR(more.value * 1e6, 30.0 / 16 * 4 * 10, 1e-9);
}

/// What the transport says of rings, as a network of one channel for the critical path.
struct ChannelNetwork {
  Rank ranks, per_node;
  Seconds step, across, proxy;
  SecondsPerByte on_node, on_card;

  Wire wire(Place from, Place to, Bytes = {}) const {
    const bool stays = from.rank / per_node == to.rank / per_node;
    Wire w{stays ? step : across, {}, {}, stays ? step : proxy, stays ? on_node : on_card};
    w.out = static_cast<Port>(from.rank), w.in = static_cast<Port>(to.rank + ranks);
    return w;
  }
  std::vector<Bytes> sizes() const { return {Bytes(1)}; }
  SecondsPerByte gamma(Place) const { return {}; }
  const MessageProtocol& protocol() const { return eager; }
  Port ports() const { return static_cast<Port>(2 * ranks); }
  Port queues() const { return ports(); }
  MessageProtocol eager{};
};

/// One channel alone, in chunks of one turn.
Seconds path(Rank ranks, Rank nodes, Bytes message, const Software& software, const Situation& s) {
  constexpr auto ll128 = static_cast<std::size_t>(Protocol::ll128);
  const auto us = [](double t) { return Seconds(t * 1e-6); };
  const Bytes chunk = message / ranks;
  const SecondsPerByte on_node = 1.0 / BytesPerSecond(8.45e9);
  const ChannelNetwork network{.ranks = ranks,
                               .per_node = ranks / nodes,
                               .step = us(software.ring_step[ll128]),
                               .across = us(software.ring_hop[ll128]) + chunk * on_node,
                               .proxy = us(software.proxy[ll128]),
                               .on_node = on_node,
                               .on_card = 128.0 / 120 / s.rail_bandwidth};
  const Algorithm& a = algorithm(Collective::allreduce, "ring");
  const Call c = message_call(ranks, message);
  const Schedule schedule = a.schedule(c);
  return critical_path(schedule, layout(a, c, schedule), network).time;
}

/// The pace of the busiest is the critical path of the ring's schedule, but for filling and draining it.
TEST(NcclTransport, a_ring_takes_its_critical_path) {
  for (const auto& [ranks, nodes] : {std::pair{4, 1}, {8, 2}, {32, 8}, {64, 16}}) {
    Situation s = v100(nodes);
    s.channels = 1, s.rails = 2;
    Software software = published_software(release, s);
    software.ring_launch = software.channel = {};
    // Two channels, of which the other one is not looked at.
    const Bytes message = 38400_B * (2.0 * ranks);
    const Play p = played(Collective::allreduce, ranks, message, Shape::ring, Protocol::ll128, s, software);
    ASSERT_EQ(p.channels, 2);
    ASSERT_EQ(p.chunk, 38400_B);
    const Seconds exact = path(ranks, nodes, message / 2, software, s);
    EXPECT_NEAR(p.time / exact, 1, nodes == 1 ? 1e-9 : 0.06) << ranks;
  }
}

TEST(NcclTransport, grows_with_message_ranks_and_every_cost) {
  const Situation s = v100(8);
  for (Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple})
    for (Shape shape : {Shape::ring, Shape::tree}) {
      Software software = published_software(release, s);
      const auto time = [&](Rank ranks, Bytes message) {
        return played(Collective::allreduce, ranks, message, shape, protocol, s, software).time;
      };
      const Seconds before = time(32, 1_MiB);
      EXPECT_GT(time(32, 64_MiB), before);
      EXPECT_GT(time(64, 1_MiB), before);
      const auto i = static_cast<std::size_t>(protocol);
      for (PerProtocol* cost : shape == Shape::ring
                                   ? std::vector<PerProtocol*>{&software.ring_launch, &software.channel}
                                   : std::vector<PerProtocol*>{&software.tree_launch, &software.tree_step,
                                                               &software.tree_hop, &software.channel}) {
        const PerProtocol kept = *cost;
        (*cost)[i] += 100;
        EXPECT_GT(time(32, 1_MiB), before) << name(protocol);
        *cost = kept;
      }
    }
}

TEST(NcclTransport, calls_of_a_broadcast_follow_each_other_at_the_pace_of_the_slowest) {
  Situation s = v100(4);
  s.same_channels = true;
  const Software software = published_software(release, s);
  const auto time = [&](Rank ranks) {
    return played(Collective::broadcast, ranks, 256_KiB, Shape::ring, Protocol::ll128, s, software).time;
  };
  EXPECT_EQ(time(16), time(8));
}

/// 4 MiB on 4 channels that visit the ranks in different orders: the first chunk of 512 KiB goes 12 steps in
/// nodes and 3 hops between them at 13.25 GB/s; the second one follows through the card that two channels
/// share.
TEST(NcclTransport, else_each_call_of_a_broadcast_takes_the_whole_way_by_hand) {
  const Play p = played(Collective::broadcast, 16, 4_MiB, Shape::ring, Protocol::simple, v100(4),
                        published_software(release, v100(4)));
  EXPECT_EQ(p.channels, 4);
  const double chunk = 524288, kernel = chunk / 13250, card = chunk / 12120;
  EXPECT_NEAR(p.time.value * 1e6,
              8.4 + 3 * 1.05 + 12 * (3.4 + kernel) + 3 * (9.6 + kernel + card) + 2 * (4 + card), 1e-6);
}

TEST(NcclTransport, pat_is_refused) {
  const Situation s = v100(8);
  EXPECT_THROW(played(Collective::allgather, 8, 1_MiB, Shape::pat, Protocol::simple, s, {}), InputError);
}

}  // namespace
}  // namespace collcast::nccl
