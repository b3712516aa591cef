// SPDX-License-Identifier: Apache-2.0
#include "algorithms/broadcast/double-tree.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "algorithms/rows.hpp"
#include "model/repeats.hpp"

namespace collcast {
namespace {

/// Two binary trees over ranks 1..p-1, both fed by rank 0. A rank with children in one tree is a leaf in the
/// other. Edge 2r + t leads to rank r in tree t; edges take turns, in even steps or in odd ones, so that a
/// rank receives from its two parents and sends to its two children in different steps.
struct Trees {
  std::vector<Rank> parent;  ///< of each edge
  std::vector<int> arrival;  ///< of each edge: the step after which the first segment is there
  int last_arrival = 0;

  explicit Trees(Rank p)
      : parent(2 * static_cast<std::size_t>(p)), arrival(parent.size()), turn_(parent.size(), none) {
    for (Rank r = 1; r < p; ++r) parent[edge(r, 0)] = up(r, p - 1), parent[edge(r, 1)] = other_up(r, p - 1);
    take_turns();
    for (std::size_t e = 2; e < parent.size(); ++e) last_arrival = std::max(last_arrival, arrive(e));
  }

 private:
  static constexpr int none = -1;
  static std::size_t edge(Rank r, std::size_t tree) { return 2 * static_cast<std::size_t>(r) + tree; }

  /// In-order: odd ranks are leaves, odd multiples of 2 their parents, and so on; rank 0 is above the top.
  static Rank up(Rank r, Rank last) {
    const Rank lowest = r & -r, above = (r ^ lowest) | (2 * lowest);
    return above <= last ? above : r ^ lowest;
  }
  /// The same tree mirrored, or moved by one rank, so that even ranks are leaves.
  static Rank other_up(Rank r, Rank last) {
    if (last % 2 == 0) {
      const Rank above = up(last + 1 - r, last);
      return above == 0 ? 0 : last + 1 - above;
    }
    const Rank above = up(r % last + 1, last);
    return above == 0 ? 0 : (above + last - 2) % last + 1;
  }

  /// Gives each edge its turn. A rank's two edges from parents must differ in turn, and so must its two edges
  /// to children. Going from edge to edge by these two rules alternately makes paths and even cycles, for
  /// which two turns are enough.
  void take_turns() {
    std::vector<int> child(parent.size() / 2, none), sibling(parent.size(), none);
    for (std::size_t e = 2; e < parent.size(); ++e) {
      int& first = child[static_cast<std::size_t>(parent[e])];
      if (first != none) sibling[e] = first, sibling[static_cast<std::size_t>(first)] = static_cast<int>(e);
      first = static_cast<int>(e);
    }
    auto follow = [&](int e, int turn) {
      for (; e != none && turn_[static_cast<std::size_t>(e)] == none;
           e = sibling[static_cast<std::size_t>(e ^ 1)]) {
        turn_[static_cast<std::size_t>(e)] = turn;
        turn_[static_cast<std::size_t>(e ^ 1)] = 1 - turn;
      }
    };
    for (std::size_t e = 2; e < parent.size(); ++e)
      if (turn_[e] == none) follow(static_cast<int>(e), 0), follow(sibling[e], 1);
  }

  int arrive(std::size_t e) {
    if (arrival[e] != 0) return arrival[e];
    const int above = parent[e] == 0 ? 0 : arrive(edge(parent[e], e % 2));
    return arrival[e] = above + 1 + (above % 2 != turn_[e]);
  }

  std::vector<int> turn_;  ///< of each edge: 0 in even steps, 1 in odd ones
};

}  // namespace

Schedule double_tree_broadcast(Rank p, Block segments) {
  const auto trees = std::make_shared<const Trees>(p);
  auto rule = [=](std::int64_t s, Step& step) {
    for (std::size_t e = 2; e < trees->parent.size(); ++e) {
      const std::int64_t since = s + 1 - trees->arrival[e];
      if (since < 0 || since % 2 != 0 || since / 2 >= segments) continue;
      step.send(trees->parent[e], static_cast<Rank>(e / 2), {(e % 2 == 0 ? 0 : segments) + since / 2});
    }
  };
  if (p == 1) return idle(p, 2 * segments);
  const int last = trees->last_arrival;
  return repeating({p, 2 * segments, 2 * (segments - 1) + last, rule}, {{last - 1, 2 * segments, 2}});
}

double double_tree_steps(Rank p, Block segments) {
  return p == 1 ? 0 : 2 * (static_cast<double>(segments) - 1) + Trees(p).last_arrival;
}

const Algorithm broadcast_double_tree{
    .collective = Collective::broadcast,
    .name = "double-tree",
    .description =
        "each half of the message goes down a binary tree of its own; inner ranks of one tree are leaves of "
        "the other",
    .segmented = true,
    .formula = "(2(K-1) + D) (a + n/(2K) b), D <= 2 ceil(lg p) counted on the trees",
    .source = "Sanders, Speck & Traff, Parallel Computing 35(12), 2009; trees: NCCL 2.4",
    .schedule = [](const Call& c) { return rooted(double_tree_broadcast(c.ranks, c.segments), c.root); },
    .time =
        [](const Call& c, const AlphaBetaGamma& m) {
          return double_tree_steps(c.ranks, c.segments) *
                 (m.alpha + c.message / (2.0 * static_cast<double>(c.segments)) * m.beta);
        },
};

}  // namespace collcast
