// SPDX-License-Identifier: Apache-2.0
#include "algorithms/rows.hpp"

#include <algorithm>
#include <span>

#include "algorithms/broadcast/double-tree.hpp"
#include "algorithms/nodes.hpp"
#include "model/repeats.hpp"

namespace collcast {
namespace {

/// The call on one rail: it has one rank of each node, and its share of the message.
Call rail(const Call& c) {
  Call rail = c;
  rail.ranks = c.ranks / c.ranks_per_node;
  rail.message = c.message / c.ranks_per_node;
  return rail;
}

/// The steps in the switch of a node. Every rank takes the sum of its share, segment by segment, and `lag`
/// steps later multicasts what came back from the trees. Segments of the two trees alternate; the ranks take
/// turns as in `nvls`.
Schedule in_switch(const Call& c, std::int64_t lag) {
  const Block K = c.segments;
  const std::int64_t turns = c.ranks_per_node == 1 ? 0 : 2 * K;
  auto rule = [=, q = c.ranks_per_node](std::int64_t s, Step& step) {
    const auto block = [=](Rank r, std::int64_t turn) { return Chunk{(2 * r + turn % 2) * K + turn / 2}; };
    for (Rank r = 0; r < q; ++r) {
      if (s < turns) step.reduce_in_network({0, q}, r, block(r, s));
      if (s >= lag && s - lag < turns) step.multicast(r, {0, q}, block(r, s - lag));
    }
  };
  const std::int64_t steps = turns == 0 ? 0 : lag + turns, both = std::min(lag, turns);
  return on_each_node(c, repeating({c.ranks_per_node, c.ranks_per_node * 2 * K, steps, rule},
                                   {{0, both}, {both, std::max(lag, turns)}, {std::max(lag, turns), steps}}));
}

/// Reverses the order of the segments: a mirrored broadcast reduces its last segment first.
Schedule in_order(const Schedule& reduction, Block K) {
  Schedule turned = reduction;
  turned.rule = [rule = reduction.rule, K](std::int64_t s, Step& step) {
    const std::size_t before = step.transfers.size();
    rule(s, step);
    for (std::size_t i = before; i < step.transfers.size(); ++i) {
      Block& b = step.transfers[i].chunk.first;
      b = b / K * K + K - 1 - b % K;
    }
  };
  const auto all = repeats(reduction);
  return repeating(std::move(turned), {all.begin(), all.end()});
}

/// Each tree has separate threads up and down: what climbs waits for nothing that descends, except at the
/// root, which turns the sums around.
Schedule apart(const Schedule& s, Rank ranks_per_node, Block K) {
  Schedule apart = s;
  apart.channels = 4, apart.ways = 2;
  apart.rule = [rule = s.rule, ranks_per_node, K](std::int64_t at, Step& step) {
    const auto channel = [K](const Chunk& c, bool down) {
      return static_cast<std::uint16_t>(c.first / K % 2 * 2 + down);
    };
    const std::size_t transfers = step.transfers.size(), multicasts = step.multicasts.size(),
                      reductions = step.reductions.size();
    rule(at, step);
    for (Transfer& t : std::span(step.transfers).subspan(transfers))
      t.channel = channel(t.chunk, t.combine == Combine::copy);
    for (Multicast& m : std::span(step.multicasts).subspan(multicasts)) m.channel = channel(m.chunk, true);
    for (Reduction& r : std::span(step.reductions).subspan(reductions)) r.channel = channel(r.chunk, false);
    for (Rank root = 0; root < ranks_per_node; ++root)
      for (const std::uint16_t tree : {0, 2})
        step.joins.push_back({tree, static_cast<std::uint16_t>(tree + 2), root});
  };
  return apart;
}

/// Segments follow each other up the trees and, from D steps later, down again, so that both directions work
/// at once. The trees begin once the first segments are reduced in the switches; the multicasts begin once
/// these are back.
Schedule nvls_tree(const Call& c) {
  const Block K = c.segments;
  const Schedule down = double_tree_broadcast(c.ranks / c.ranks_per_node, K);
  const std::int64_t D = down.steps == 0 ? 0 : down.steps - 2 * (K - 1);
  const Schedule tree = staggered(in_order(mirrored(down, Combine::reduce), K), down, D);
  const auto share = [K](Rank i) { return i * 2 * K; };
  const auto on_rails = on_each_rail(c, tree, share, c.ranks_per_node * 2 * K);
  return apart(staggered(in_switch(c, 2 + 2 * D), on_rails, 2), c.ranks_per_node, K);
}

}  // namespace

const Algorithm allreduce_nvls_tree{
    .collective = Collective::allreduce,
    .name = "nvls-tree",
    .description =
        "segment by segment, all at once, each rank takes the sum of its share from the node's switch, a "
        "double tree on "
        "each rail adds those of the nodes, and each rank multicasts the result on its node",
    .segmented = true,
    .ranks_per_node = true,
    .formula = "2(q-1) (2K a + n/q b) + double-tree of n/q on N ranks; an upper bound",
    .exact = false,
    .bound = [](Rank) { return 2.5; },
    .source = "NCCL 2.18 (NVLSTree); formula counted from the schedule",
    .schedule = nvls_tree,
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          const double q = c.ranks_per_node, K = static_cast<double>(c.segments);
          return 2 * (q - 1) * (2 * K * m.alpha + c.message / q * m.beta) +
                 allreduce_double_tree.time(rail(c), m);
        },
};

}  // namespace collcast
