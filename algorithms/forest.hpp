// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

/// `count` equal trees from one rank to all. Every edge starts at the root or where an earlier edge ends.
struct Tree {
  Rank root = 0;
  std::int64_t count = 1;
  struct Edge {
    Rank from, to;
  };
  std::vector<Edge> edges;
};

/// Spanning trees used side by side. A root's data are divided into `trees_per_root` equal parts, one for
/// each of its trees.
struct Forest {
  Rank ranks = 1;
  std::int64_t trees_per_root = 1;
  std::vector<Tree> trees;
};

/// Whether forests can play the collective: every rank distributes its part (allgather, reduce-scatter,
/// allreduce), or the root everything (broadcast, reduce).
bool plays_forests(Collective collective);
/// The roots of a collective's trees: all ranks, or `root`.
std::vector<Rank> roots(Collective collective, Rank ranks, Rank root);

/// Each tree is a channel, in which `segments` follow each other. Sums go up the trees and copies down; the
/// sums of an allreduce turn round at the root. Throws InputError unless all trees are spanning and every
/// root has the right number of them.
Schedule schedule(const Forest& forest, Collective collective, Rank root, Block segments);

/// The algorithm, for the forest's number of ranks and this root only.
Algorithm algorithm_of(const Forest& forest, Collective collective, Rank root, const std::string& name);

}  // namespace collcast
