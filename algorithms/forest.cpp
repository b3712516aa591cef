// SPDX-License-Identifier: Apache-2.0
#include "algorithms/forest.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "support/error.hpp"

namespace collcast {
namespace {

bool sums(Collective c) {
  return definition(c).reduces;
}

/// A tree as it is played: how deep each edge ends, and where its blocks begin.
struct Played {
  std::vector<Tree::Edge> edges;
  std::vector<std::int64_t> depth;  ///< by edge: the depth where it ends; 1: a child of the root
  std::int64_t deepest = 0;
  Block first, count;  ///< first: the first block of the tree; count: blocks per segment
};

std::string named(std::size_t tree) {
  return "tree " + std::to_string(tree);
}

Played played(const Forest& f, std::size_t index) {
  const Tree& tree = f.trees[index];
  Played p{tree.edges, {}, 0, 0, tree.count};
  std::vector<std::int64_t> depth(static_cast<std::size_t>(f.ranks), -1);
  const auto is_rank = [&](Rank r) { return r >= 0 && r < f.ranks; };
  if (!is_rank(tree.root) || tree.count < 1)
    throw InputError(named(index) + " needs a root among the ranks and a count of at least 1");
  depth[static_cast<std::size_t>(tree.root)] = 0;
  for (const auto& [from, to] : tree.edges) {
    if (!is_rank(from) || !is_rank(to) || depth[static_cast<std::size_t>(from)] < 0 ||
        depth[static_cast<std::size_t>(to)] >= 0)
      throw InputError(named(index) + ": the edge from " + std::to_string(from) + " to " +
                       std::to_string(to) +
                       " has to begin at a rank that was reached and end at one that was not");
    const std::int64_t d = depth[static_cast<std::size_t>(from)] + 1;
    depth[static_cast<std::size_t>(to)] = d;
    p.depth.push_back(d);
    p.deepest = std::max(p.deepest, d);
  }
  if (tree.edges.size() + 1 != static_cast<std::size_t>(f.ranks))
    throw InputError(named(index) + " does not reach all " + std::to_string(f.ranks) + " ranks");
  return p;
}

/// All trees. Their blocks follow each other, root by root.
std::vector<Played> played(const Forest& f, const std::vector<Rank>& roots, Block segments) {
  std::map<Rank, Block> next;
  for (const Rank r : roots) next.emplace(r, static_cast<Block>(next.size()) * f.trees_per_root * segments);
  const std::map<Rank, Block> first = next;
  std::vector<Played> all;
  for (std::size_t i = 0; i < f.trees.size(); ++i) {
    all.push_back(played(f, i));
    const auto at = next.find(f.trees[i].root);
    if (at == next.end())
      throw InputError(named(i) + " begins at rank " + std::to_string(f.trees[i].root) +
                       ", which is no root");
    all.back().first = at->second;
    at->second += f.trees[i].count * segments;
  }
  for (const auto& [r, end] : next)
    if (end - first.at(r) != f.trees_per_root * segments)
      throw InputError("rank " + std::to_string(r) + " has " +
                       std::to_string((end - first.at(r)) / segments) + " trees, not " +
                       std::to_string(f.trees_per_root));
  return all;
}

}  // namespace

bool plays_forests(Collective c) {
  return c == Collective::allgather || c == Collective::reduce_scatter || c == Collective::allreduce ||
         c == Collective::broadcast || c == Collective::reduce;
}

std::vector<Rank> roots(Collective collective, Rank ranks, Rank root) {
  if (definition(collective).rooted) return {root};
  std::vector<Rank> all;
  for (Rank r = 0; r < ranks; ++r) all.push_back(r);
  return all;
}

Schedule schedule(const Forest& forest, Collective collective, Rank root, Block segments) {
  const std::vector<Rank> roots = collcast::roots(collective, forest.ranks, root);
  const auto trees = std::make_shared<const std::vector<Played>>(played(forest, roots, segments));
  if (trees->size() > 65535) throw InputError("more than 65535 trees are more than a schedule has channels");
  const bool up = sums(collective), down = spreads_copies(collective);
  Schedule s;
  s.ranks = forest.ranks;
  s.blocks = static_cast<Block>(roots.size()) * forest.trees_per_root * segments;
  s.channels = std::max(1, static_cast<int>(trees->size()));
  for (const Played& t : *trees) s.steps = std::max(s.steps, (up + down) * t.deepest + segments - 1);
  if (forest.ranks == 1) s.steps = 0;
  s.rule = [trees, up, down, segments](std::int64_t now, Step& step) {
    for (std::size_t i = 0; i < trees->size(); ++i) {
      const Played& t = (*trees)[i];
      const auto send = [&](Rank from, Rank to, std::int64_t segment, Combine combine) {
        if (segment < 0 || segment >= segments) return;
        step.send(from, to, {t.first + segment * t.count, t.count}, combine);
        step.transfers.back().channel = static_cast<std::uint16_t>(i);
      };
      for (std::size_t e = 0; e < t.edges.size(); ++e) {
        const auto [from, to] = t.edges[e];
        if (up) send(to, from, now - (t.deepest - t.depth[e]), Combine::reduce);
        if (down) send(from, to, now - (up ? t.deepest : 0) - (t.depth[e] - 1), Combine::copy);
      }
    }
  };
  return s;
}

Algorithm algorithm_of(const Forest& forest, Collective collective, Rank root, const std::string& name) {
  Algorithm a;
  a.collective = collective;
  a.name = name;
  a.description = "spanning trees side by side";
  a.ranks = std::to_string(forest.ranks);
  a.supports = [ranks = forest.ranks](Rank r) { return r == ranks; };
  a.segmented = true;
  a.schedule = [forest, collective, root](const Call& c) {
    return schedule(forest, collective, root, c.segments);
  };
  return a;
}

}  // namespace collcast
