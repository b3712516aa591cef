// SPDX-License-Identifier: Apache-2.0
#include "libraries/nccl/nccl.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"

namespace collcast::nccl {
namespace {

using namespace literals;

/// Tree LL, LL128, Simple, then Ring LL, LL128, Simple.
struct Case {
  const char* name;
  Rank ranks;
  Situation s;
  double latency_us[6], bandwidth_GBps[6], time_us[6];
};

Situation situation(Rank nodes, int channels, double GBps) {
  return {.nodes = nodes,
          .channels = channels,
          .intra_bandwidth = BytesPerSecond(GBps * 1e9),
          .inter_bandwidth = BytesPerSecond(GBps * 1e9)};
}

/// Computed by hand from the constants of 2.18.3; times are for 64 MiB.
const Case cases[] = {
    {"A",
     8,
     situation(1, 6, 20),
     {15.20, 31.50, 56.00, 15.00, 40.60, 56.00},
     {14.526, 42.933, 55.200, 17.143, 63.086, 68.571},
     {4635.01, 1768.27, 1575.68, 3929.68, 1104.37, 1034.67}},
    {"B",
     12,
     situation(2, 2, 12),
     {22.80, 43.50, 68.00, 35.40, 64.20, 125.60},
     {2.905, 10.350, 11.040, 3.273, 12.044, 13.091},
     {23121.87, 7247.89, 7666.38, 20540.89, 5636.34, 5365.01}},
    {"C",
     1536,
     situation(256, 2, 12),
     {92.80, 162.50, 264.00, 3947.00, 6922.20, 15873.60},
     {2.632, 9.375, 10.000, 3.002, 11.047, 12.008},
     {25594.17, 8116.14, 8652.61, 26302.06, 12996.94, 35748.60}},
};

Call call(Rank ranks, Bytes message) {
  return {.ranks = ranks, .message = message};
}

TEST(Nccl, reaches_the_latency_bandwidth_and_time_of_2_18_to_the_printed_digits) {
  for (const Case& c : cases) {
    const auto found = candidates({18}, Collective::allreduce, call(c.ranks, 64_MiB), c.s);
    ASSERT_EQ(found.size(), 6u);
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(found[i].latency.value * 1e6, c.latency_us[i], 0.00501) << c.name << i;
      EXPECT_NEAR(found[i].bandwidth.value / 1e9, c.bandwidth_GBps[i], 0.000501) << c.name << i;
      EXPECT_NEAR(found[i].time.value * 1e6, c.time_us[i], 0.00501) << c.name << i;
    }
  }
}

std::string winner(std::string_view policy, Collective collective, const Call& c, const Situation& s) {
  const Pick p = collcast::pick(policy, collective, c, s);
  return std::string(p.algorithm) + " " + std::string(p.protocol);
}

TEST(Nccl, winners_of_2_18_by_size) {
  const std::string tree = "double-tree ", ring = "multi-ring ";
  struct Row {
    const Case& of;
    Bytes message;
    std::string wins;
  };
  const Row rows[] = {
      {cases[0], 1_KiB, ring + "LL"},        {cases[0], 64_KiB, ring + "LL"},
      {cases[0], 1_MiB, ring + "LL128"},     {cases[0], 16_MiB, ring + "Simple"},
      {cases[0], 1024_MiB, ring + "Simple"}, {cases[1], 1_KiB, tree + "LL"},
      {cases[1], 64_KiB, tree + "LL128"},    {cases[1], 1_MiB, ring + "LL128"},
      {cases[1], 16_MiB, ring + "LL128"},    {cases[1], 64_MiB, ring + "Simple"},
      {cases[2], 1_KiB, tree + "LL"},        {cases[2], 64_KiB, tree + "LL"},
      {cases[2], 1_MiB, tree + "LL128"},     {cases[2], 64_MiB, tree + "LL128"},
  };
  for (const Row& r : rows)
    EXPECT_EQ(winner("nccl-2.18", Collective::allreduce, call(r.of.ranks, r.message), r.of.s), r.wins)
        << r.of.name << " " << r.message.value;
}

double ring_latency_us(int minor, Protocol protocol, const Situation& s, Rank ranks) {
  for (const Candidate& c : candidates({minor}, Collective::allreduce, call(ranks, 1_KiB), s))
    if (c.shape == Shape::ring && c.protocol == protocol) return c.latency.value * 1e6;
  return -1;
}

/// 12 ranks on 2 nodes: 22 steps, of which 2 or 4 cross nodes.
TEST(Nccl, constants_change_with_the_release) {
  const Situation& b = cases[1].s;
  EXPECT_NEAR(ring_latency_us(8, Protocol::simple, b, 12), 8.4 + 20 * 3.4 + 2 * 9.6, 1e-9);
  EXPECT_NEAR(ring_latency_us(12, Protocol::simple, b, 12), 8.4 + 18 * 3.4 + 4 * 28, 1e-9);
  EXPECT_NEAR(ring_latency_us(13, Protocol::simple, b, 12), 8.4 + 18 * 3.4 + 4 * 28, 1e-9);
  EXPECT_NEAR(ring_latency_us(14, Protocol::simple, b, 12), 8.4 + 18 * 3.4 + 4 * 9.6, 1e-9);
  EXPECT_NEAR(ring_latency_us(17, Protocol::ll, b, 12), 3.6 + 18 * .47 * 1.8 + 4 * 2.7, 1e-9);
  EXPECT_NEAR(ring_latency_us(23, Protocol::simple, b, 12), 8.4 + 20 * 3.4 + 2 * 14, 1e-9);
}

/// 6 channels of 20 GB/s on 8 Volta: a ring moves 120 * 8/14, with LL128 at most 6 * 16.9, or 6 * 20
/// from 2.10.
TEST(Nccl, bandwidth_limits_change_with_the_release) {
  const auto of_ring_ll128 = [](int minor) {
    return candidates({minor}, Collective::allreduce, call(8, 1_KiB), cases[0].s)[4].bandwidth.value / 1e9;
  };
  EXPECT_NEAR(of_ring_ll128(7), 6 * 16.7 * 8 / 14, 1e-9);
  EXPECT_NEAR(of_ring_ll128(8), 6 * 16.9 * 8 / 14, 1e-9);
  EXPECT_NEAR(of_ring_ll128(10), 110.4 * 8 / 14, 1e-9);
  const auto of_tree_simple = [](int minor) {
    return candidates({minor}, Collective::allreduce, call(8, 1_KiB), cases[0].s)[2].bandwidth.value / 1e9;
  };
  EXPECT_NEAR(of_tree_simple(7), 108.0 / 2, 1e-9);
  EXPECT_NEAR(of_tree_simple(8), 110.4 / 2, 1e-9);
}

/// 2.23: 8 + floor(log2 16) * 14/3.5 + 2.8 * 16 us.
TEST(Nccl, pat_serves_lone_ranks_from_2_23) {
  const Situation s = situation(16, 2, 12);
  EXPECT_EQ(candidates({22}, Collective::allgather, call(16, 1_KiB), s).size(), 3u);
  const auto found = candidates({23}, Collective::allgather, call(16, 1_KiB), s);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_NEAR(found[3].latency.value * 1e6, 8 + 4 * 4 + 44.8, 1e-9);
  EXPECT_EQ(candidates({23}, Collective::allgather, call(32, 1_KiB), s).size(), 3u);
}

/// Hoppers on NVSwitches that multicast and reduce.
Situation switched(Rank nodes, double GBps) {
  Situation s = situation(nodes, 12, 30);
  s.gpu = Gpu::hopper;
  s.switch_channels = 8;
  s.switch_bandwidth = BytesPerSecond(GBps * 1e9);
  return s;
}

/// Latency [us] and bandwidth [GB/s] of a shape; zeros where it is not considered.
std::pair<double, double> switch_model(int minor, Shape shape, Rank ranks, const Situation& s) {
  for (const Candidate& c : candidates({minor}, Collective::allreduce, call(ranks, 1_KiB), s))
    if (c.shape == shape) return {c.latency.value * 1e6, c.bandwidth.value / 1e9};
  return {};
}

void expect_switch_model(int minor, Shape shape, Rank ranks, const Situation& s, double us, double GBps) {
  const auto [latency, bandwidth] = switch_model(minor, shape, ranks, s);
  EXPECT_NEAR(latency, us, 1e-9) << minor;
  EXPECT_NEAR(bandwidth, GBps, 1e-9) << minor;
}

TEST(Nccl, nvls_of_one_node_by_release) {
  const Situation s = switched(1, 40);
  expect_switch_model(17, Shape::nvls, 8, s, 40, 8 * 40 * .75);
  expect_switch_model(18, Shape::nvls, 8, s, 23, 8 * 40 * 5.0 / 6);
  expect_switch_model(19, Shape::nvls, 8, s, 23, 8 * 40 * 5.0 / 6);
  expect_switch_model(21, Shape::nvls, 8, s, 25, 8 * 40 * 5.0 / 6);
  // Both ways at 0.85 of the speed, 7 of 8 channels' worth, 14 steps for 8 shares.
  expect_switch_model(28, Shape::nvls, 8, s, 25, 2 * 40 * .85 * 7 / 8 * 8 * 8 / 14);
  expect_switch_model(19, Shape::nvls_tree, 8, s, 0, 0);
}

TEST(Nccl, nvls_tree_of_several_nodes_by_release) {
  const Situation two = switched(2, 45), four = switched(4, 45);
  expect_switch_model(17, Shape::nvls_tree, 16, two, 0, 0);
  expect_switch_model(18, Shape::nvls_tree, 32, four, 23 + 2 * 3 * 19, 8 * 45 / 2.0 * 5 / 6);
  expect_switch_model(19, Shape::nvls_tree, 16, two, 23 + 2 * 14, 8 * 45 * 5.0 / 6);
  expect_switch_model(19, Shape::nvls_tree, 32, four, 23 + 2 * 2 * 14, 8 * 45 / 2.0 * 5 / 6);
  expect_switch_model(28, Shape::nvls_tree, 16, two, 25 + 2 * 20.9, 8 * 57.7 * 16 / 30);
  expect_switch_model(28, Shape::nvls_tree, 32, four, 25 + 2 * 2 * 20.9, 8 * 45.0 * 32 / 62);
  expect_switch_model(28, Shape::nvls, 32, four, 0, 0);
}

TEST(Nccl, nvls_needs_a_hopper_and_its_switch) {
  Situation s = switched(1, 40);
  EXPECT_EQ(winner("nccl-2.19", Collective::allreduce, call(8, 1024_MiB), s), "nvls Simple");
  EXPECT_EQ(winner("nccl-2.19", Collective::allreduce, call(8, 1_KiB), s), "multi-ring LL");
  EXPECT_EQ(winner("nccl-2.19", Collective::allgather, call(8, 1024_MiB), s), "ring Simple");
  s.gpu = Gpu::ampere;
  EXPECT_EQ(winner("nccl-2.19", Collective::allreduce, call(8, 1024_MiB), s), "multi-ring Simple");
  s = switched(1, 40);
  s.switch_channels = 0;
  EXPECT_EQ(winner("nccl-2.19", Collective::allreduce, call(8, 1024_MiB), s), "multi-ring Simple");
}

/// On V100 trees between nodes, broadcast and reduce went without, as measured.
TEST(Nccl, ll128_between_nodes_before_2_10) {
  const auto protocols = [](int minor, Collective collective, Gpu gpu) {
    Situation s = cases[1].s;
    s.gpu = gpu;
    return candidates({minor}, collective, call(12, 1_KiB), s).size();
  };
  EXPECT_EQ(protocols(8, Collective::allreduce, Gpu::volta), 5u);
  EXPECT_EQ(protocols(8, Collective::broadcast, Gpu::volta), 2u);
  EXPECT_EQ(protocols(8, Collective::allreduce, Gpu::ampere), 6u);
  EXPECT_EQ(protocols(8, Collective::broadcast, Gpu::ampere), 3u);
  EXPECT_EQ(protocols(10, Collective::allreduce, Gpu::volta), 6u);
}

TEST(Nccl, ll128_needs_nvlink_and_a_network_card_near_the_gpu) {
  const auto protocols = [](Situation s) {
    return candidates({18}, Collective::allreduce, call(12, 1_KiB), s).size();
  };
  Situation s = cases[1].s;
  EXPECT_EQ(protocols(s), 6u);
  s.gpudirect = false;
  EXPECT_EQ(protocols(s), 4u);
  s.gpudirect = true, s.link = NodeLink::pci;
  EXPECT_EQ(protocols(s), 4u);
  s = cases[1].s, s.gpu = Gpu::pascal;
  EXPECT_EQ(protocols(s), 4u);
}

/// As ABCI V's tables of 16 GPUs show it; from 2.10 on, and in a node, as for other collectives.
TEST(Nccl, early_broadcasts_between_nodes_use_no_ll128) {
  const auto of = [](int minor, Rank nodes, Bytes message) {
    Situation s = situation(nodes, 2, 12);
    s.same_channels = false;
    return std::string(pick({minor}, Collective::broadcast, call(4 * nodes, message), s).protocol);
  };
  EXPECT_EQ(of(8, 4, 2_MiB), "LL");
  EXPECT_EQ(of(8, 4, 4_MiB), "Simple");
  EXPECT_EQ(of(10, 4, 2_MiB), "LL128");
  EXPECT_EQ(of(8, 1, 2_MiB), "LL128");
}

TEST(Nccl, every_release_serves_every_collective_it_has) {
  for (int minor = first_minor; minor <= last_minor; ++minor)
    for (Collective c : {Collective::allreduce, Collective::allgather, Collective::reduce_scatter,
                         Collective::broadcast, Collective::reduce})
      for (Rank nodes : {1, 2, 3, 24}) {
        const Pick p = pick({minor}, c, call(24, 1_MiB), situation(nodes, 4, 12));
        EXPECT_GT(p.predicted.value_or(Seconds(0)), Seconds(0)) << p.why;
        EXPECT_EQ(p.why.find('\n'), std::string::npos);
      }
}

TEST(Nccl, one_rank_has_nothing_to_choose) {
  const Pick p = pick({18}, Collective::allreduce, call(1, 1_MiB), situation(1, 1, 12));
  EXPECT_EQ(p.algorithm, "ring");
  EXPECT_FALSE(p.predicted);
}

std::string error(std::string_view policy, Collective collective, const Call& c, const Situation& s) {
  try {
    collcast::pick(policy, collective, c, s);
  } catch (const InputError& e) {
    return e.what();
  }
  return "none";
}

TEST(Nccl, settings_are_read_as_nccl_reads_them) {
  const auto p = parse("nccl-2.8:algo=ring,proto=ll,channels=4");
  ASSERT_TRUE(p);
  EXPECT_EQ(p->release, 8);
  EXPECT_EQ(p->text(), "nccl-2.8:algo=Ring,proto=LL,channels=4");
  EXPECT_EQ(parse(p->text())->text(), p->text());
  EXPECT_EQ(parse("nccl-2.8")->text(), "nccl-2.8");
  EXPECT_FALSE(parse("mpich"));
  EXPECT_FALSE(parse("nccl-2.81"));
}

TEST(Nccl, settings_leave_what_they_name) {
  const Situation& s = cases[0].s;
  const auto with = [&](const std::string& settings) {
    return winner("nccl-2.18" + settings, Collective::allreduce, call(8, 1_KiB), s);
  };
  EXPECT_EQ(with(""), "multi-ring LL");
  EXPECT_EQ(with(":algo=Tree"), "double-tree LL");
  EXPECT_EQ(with(":proto=Simple"), "multi-ring Simple");
  EXPECT_EQ(with(":algo=Tree,proto=Simple"), "double-tree Simple");
  EXPECT_EQ(with(":channels=1"), "ring LL");
  EXPECT_EQ(collcast::pick("nccl-2.18:channels=5", Collective::allreduce, call(8, 1_KiB), s).channels, 5);
  // 512 KiB for each.
  const std::string four = "nccl-2.18:algo=Tree,proto=Simple,channels=4";
  EXPECT_EQ(collcast::pick(four, Collective::allreduce, call(8, 1024_MiB), s).segment, Bytes(4 * 524288));
}

/// Where NCCL itself would not run it, e.g. over PCIe.
TEST(Nccl, ll128_runs_where_it_is_asked_for) {
  Situation s = cases[0].s;
  s.link = NodeLink::pci;
  EXPECT_EQ(winner("nccl-2.18:proto=LL128,algo=Ring", Collective::allreduce, call(8, 1_KiB), s),
            "multi-ring LL128");
}

TEST(Nccl, bad_input_is_named) {
  const Situation s = situation(1, 2, 12);
  EXPECT_EQ(error("nccl-2.81", Collective::allreduce, call(8, 1_KiB), s),
            "unknown policy 'nccl-2.81'; did you mean 'nccl-2.8'?");
  EXPECT_EQ(
      error("nccl-2.8", Collective::alltoall, call(8, 1_KiB), s),
      "nccl-2.8 has no rule for alltoall; it has rules for allreduce, allgather, reduce-scatter, broadcast, "
      "reduce");
  EXPECT_EQ(error("nccl-2.8", Collective::allreduce, call(8, 1_KiB), situation(9, 2, 12)),
            "nodes must be from 1 to the 8 ranks, got 9");
  EXPECT_EQ(error("nccl-2.8", Collective::allreduce, call(8, 1_KiB), situation(1, 0, 12)),
            "channels must be 1 or more, got 0");
  EXPECT_EQ(error("nccl-2.8", Collective::allreduce, call(8, 1_KiB), situation(1, 1, 0)),
            "the bandwidth of a channel must be above 0 B/s");
  const auto set = [&](const std::string& settings, Collective collective = Collective::allreduce) {
    return error("nccl-2.8:" + settings, collective, call(8, 1_KiB), s);
  };
  EXPECT_EQ(set("algo=Fast"), "policy: algo=Fast must be Tree, Ring, NVLS, NVLSTree or PAT");
  EXPECT_EQ(set("proto="), "policy: proto= must be LL, LL128 or Simple");
  EXPECT_EQ(set("channels=33"), "policy: channels=33 must be from 1 to 32");
  EXPECT_EQ(set("channels=two"), "policy: channels=two must be from 1 to 32");
  EXPECT_EQ(set("threads=64"),
            "policy: threads=64 is not a setting of NCCL; expected algo=, proto= or channels=");
  EXPECT_EQ(set("algo=Ring,algo=Tree"), "policy: algo=Tree is its second algo=");
  EXPECT_EQ(set("algo=Tree", Collective::broadcast), "none");  // rings, until 2.23
  EXPECT_EQ(error("nccl-2.24:algo=Tree", Collective::broadcast, call(8, 1_KiB), s),
            "nccl-2.24:algo=Tree leaves nothing to play broadcast with");
  Situation hopper = s;
  hopper.gpu = Gpu::hopper;
  EXPECT_EQ(error("nccl-2.14", Collective::allreduce, call(8, 1_KiB), hopper),
            "nccl-2.14 has no constants for Hopper GPUs; nccl-2.17 is the first");
}

}  // namespace
}  // namespace collcast::nccl
