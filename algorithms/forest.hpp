// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

/// `count` equal trees from one rank to all: edges in an order in which each begins where one has ended.
struct Tree {
  Rank root = 0;
  std::int64_t count = 1;
  struct Edge {
    Rank from, to;
  };
  std::vector<Edge> edges;
};

/// Spanning trees side by side: what a rank shares travels in `trees_per_root` equal parts, one down each
/// tree.
struct Forest {
  Rank ranks = 1;
  std::int64_t trees_per_root = 1;
  std::vector<Tree> trees;
};

/// Whether forests play it: each rank shares its part (allgather, reduce-scatter, allreduce), or the root
/// all.
bool plays_forests(Collective collective);
/// The roots of a collective's trees: all ranks, or `root`.
std::vector<Rank> roots(Collective collective, Rank ranks, Rank root);

/// A tree is a channel, whose messages are cut into `segments` that follow each other. Sums travel up the
/// trees, copies down; an allreduce's sums turn round at the root. Throws InputError unless the trees are
/// those of the collective: spanning ones, and as many of each root.
Schedule schedule(const Forest& forest, Collective collective, Rank root, Block segments);

/// An algorithm for the forest's ranks and this root alone.
Algorithm algorithm_of(const Forest& forest, Collective collective, Rank root, const std::string& name);

}  // namespace collcast
