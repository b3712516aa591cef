// SPDX-License-Identifier: Apache-2.0
#include "libraries/nccl/schedules.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "libraries/nccl/kernel.hpp"
#include "support/error.hpp"

namespace collcast::nccl {
namespace {

void check(const std::vector<Order>& orders) {
  for (const Order& order : orders) {
    std::vector<bool> seen(order.size());
    for (const Rank r : order) {
      if (r < 0 || static_cast<std::size_t>(r) >= order.size() || seen[static_cast<std::size_t>(r)])
        throw InputError("a channel's order must name each of the " + std::to_string(order.size()) +
                         " ranks once; rank " + std::to_string(r) + " is one too many");
      seen[static_cast<std::size_t>(r)] = true;
    }
  }
}

/// The orders, shared by the rules of a schedule.
using Orders = std::shared_ptr<const std::vector<Order>>;

void on_channel(Step& step, std::size_t channel, Rank from, Rank to, Chunk chunk, Combine combine) {
  step.send(from, to, chunk, combine);
  step.transfers.back().channel = static_cast<std::uint16_t>(channel);
}

/// Where the chunks of a ring are in the message. In reduce-scatter and allgather each rank has its own
/// chunks, loop by loop and in each loop ring by ring. In allreduce chunks are in order of loop, position,
/// ring. Chunks beyond the blocks that hold data are empty.
struct Ring {
  Orders orders;
  Block loops;
  bool by_rank;
  Block blocks;  ///< how many blocks hold data

  Rank ranks() const { return static_cast<Rank>(orders->front().size()); }
  Block channels() const { return static_cast<Block>(orders->size()); }
  Rank at(std::size_t channel, std::int64_t position) const {
    return (*orders)[channel][static_cast<std::size_t>(modulo(position, ranks()))];
  }
  /// The block of the chunk that is named after a position of the ring; none if the chunk is empty.
  std::optional<Block> block(std::size_t channel, Block loop, std::int64_t position) const {
    const Block c = static_cast<Block>(channel), of_rank = blocks / ranks();
    const Block own = loop * channels() + c,
                all = (loop * ranks() + modulo(position, ranks())) * channels() + c;
    if (by_rank ? own >= of_rank : all >= blocks) return {};
    return by_rank ? at(channel, position) * of_rank + own : all;
  }
  /// Every rank forwards the chunk of the position `behind` places before its own.
  void turn(Step& step, Block loop, std::int64_t behind, Combine combine) const {
    for (std::size_t c = 0; c < orders->size(); ++c)
      for (Rank i = 0; i < ranks(); ++i)
        if (const auto b = block(c, loop, i - behind))
          on_channel(step, c, at(c, i), at(c, i + 1), {*b}, combine);
  }
};

/// `reduce` and `copy`: whether there are rounds that reduce, and rounds that copy. After the reducing rounds
/// a rank has its own chunk in a reduce-scatter, and the chunk of the next rank in an allreduce.
Schedule ring(const Ring& ring, bool reduce, bool copy) {
  const std::int64_t round = ring.ranks() - 1, rounds = (reduce + copy) * round;
  const std::int64_t first = reduce && !copy ? 1 : 0;
  auto rule = [=](std::int64_t s, Step& step) {
    const std::int64_t t = s % rounds;
    if (reduce && t < round)
      ring.turn(step, s / rounds, t + first, Combine::reduce);
    else
      ring.turn(step, s / rounds, reduce ? t - round - 1 : t, Combine::copy);
  };
  return {ring.ranks(), ring.blocks, ring.loops * rounds, rule, static_cast<int>(ring.channels())};
}

/// A ring, cut where it comes back to the root. Each rank but the last passes on what it has.
struct Line {
  struct Place {
    Rank rank;
    bool node_ends;      ///< the next rank is on another node
    std::int64_t first;  ///< step in which the first piece is passed on
  };
  std::vector<Place> places;

  Line(const Order& order, Rank root, bool to_root, Rank per_node, Block pieces) {
    const std::size_t n = order.size(), q = static_cast<std::size_t>(per_node);
    const auto at = static_cast<std::size_t>(std::ranges::find(order, root) - order.begin());
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t slot = (at + (to_root ? 1 : 0) + i) % n;
      const bool ends = slot / q != (slot + 1) % n / q;
      // The proxy needs all pieces of a chunk.
      const std::int64_t later = i == 0 ? 0 : ends && !places.back().node_ends ? pieces : 1;
      places.push_back({order[slot], ends, (i == 0 ? 0 : places.back().first) + later});
    }
  }
};

/// Chunks follow each other down a chain, within a node in pieces.
Schedule chain(const std::vector<Order>& orders, Rank root, Block loops, bool to_root, Rank per_node,
               Block pieces) {
  std::vector<Line> cut;
  for (const Order& order : orders) cut.emplace_back(order, root, to_root, per_node, pieces);
  const auto lines = std::make_shared<const std::vector<Line>>(std::move(cut));
  const std::size_t ranks = orders.front().size();
  const Block all = loops * pieces;
  auto rule = [=](std::int64_t s, Step& step) {
    for (std::size_t c = 0; c < lines->size(); ++c) {
      const std::vector<Line::Place>& places = (*lines)[c].places;
      for (auto from = std::ranges::upper_bound(places, s - all, {}, &Line::Place::first);
           from + 1 < places.end() && from->first <= s; ++from) {
        const Block piece = s - from->first, count = from->node_ends ? pieces : 1;
        if (piece % count == 0)
          on_channel(step, c, from->rank, from[1].rank, {static_cast<Block>(c) * all + piece, count},
                     to_root ? Combine::reduce : Combine::copy);
      }
    }
  };
  std::int64_t last = 0;
  for (const Line& line : *lines)
    if (ranks > 1) last = std::max(last, line.places[ranks - 2].first);
  return {static_cast<Rank>(ranks), static_cast<Block>(orders.size()) * all, ranks == 1 ? 0 : last + all,
          rule, static_cast<int>(orders.size())};
}

/// The parent of a node in NVIDIA/nccl's src/graph/trees.cc; -1 for the root, node 0.
Rank above(Rank node, Rank nodes) {
  if (node == 0) return -1;
  const Rank lowest = node & -node, up = (node ^ lowest) | (2 * lowest);
  return up < nodes ? up : node ^ lowest;
}
/// The parent of a node in the second tree: the first tree mirrored, or rotated by one node if their number
/// is odd.
Rank other_above(Rank node, Rank nodes) {
  const bool even = nodes % 2 == 0;
  const Rank up = above(even ? nodes - 1 - node : modulo(node - 1, nodes), nodes);
  return up < 0 ? -1 : even ? nodes - 1 - up : (up + 1) % nodes;
}

/// The second tree's channels are copies of those that NCCL's search found (connectTrees of its
/// src/graph/connect.cc), and leave through the same network cards.
bool of_second_tree(std::size_t channel, int searched) {
  return channel / static_cast<std::size_t>(std::max(1, searched)) % 2 == 1;
}

/// A tree of ranks: the parent and the depth of each.
struct Tree {
  std::vector<Rank> parent;
  std::vector<int> depth;
  int deepest = 0;

  Tree(const Order& order, Rank per_node, bool second) : parent(order.size(), -1), depth(order.size(), -1) {
    const auto q = static_cast<std::size_t>(per_node);
    const auto nodes = static_cast<Rank>((order.size() + q - 1) / q);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto node = static_cast<Rank>(i / q);
      const Rank up = second ? other_above(node, nodes) : above(node, nodes);
      Rank& mine = parent[static_cast<std::size_t>(order[i])];
      if (i % q > 0)
        mine = order[i - 1];
      else if (up >= 0)
        mine = order[static_cast<std::size_t>(up) * q];
    }
    for (std::size_t r = 0; r < parent.size(); ++r)
      deepest = std::max(deepest, depth_of(static_cast<Rank>(r)));
  }

 private:
  int depth_of(Rank r) {
    int& known = depth[static_cast<std::size_t>(r)];
    if (known >= 0) return known;
    const Rank up = parent[static_cast<std::size_t>(r)];
    return known = up < 0 ? 0 : depth_of(up) + 1;
  }
};

/// When, by step, each rank sends its first piece up, and gets its first piece from above, if a node sends
/// `together` pieces at once to another.
struct Climb {
  std::vector<std::int64_t> up, down;
  std::vector<bool> crosses;  ///< the parent is on another node

  Climb(const Tree& tree, const Order& order, Rank per_node, Block together)
      : up(order.size(), 0), down(order.size(), 0), crosses(order.size(), false) {
    const auto at = [](Rank r) { return static_cast<std::size_t>(r); };
    for (std::size_t i = 0; i < order.size(); i += static_cast<std::size_t>(per_node))
      crosses[at(order[i])] = tree.parent[at(order[i])] >= 0;
    std::vector<Rank> from_above = order;
    std::ranges::sort(from_above, {}, [&](Rank r) { return tree.depth[at(r)]; });
    for (const Rank r : from_above) {
      const Rank parent = tree.parent[at(r)];
      if (parent < 0) continue;
      const bool root = tree.parent[at(parent)] < 0;
      // Whoever sends pieces together needs all of them.
      up[at(r)] = up[at(parent)] - (crosses[at(parent)] && !crosses[at(r)] ? together : 1);
      down[at(r)] = !root ? down[at(parent)] + 1 : crosses[at(r)] ? together - 1 : 0;
    }
  }
};

/// Into how many pieces a chunk is cut if it is passed on turn by turn: one for each turn, unless many chunks
/// follow each other anyway.
Block pieces(const Play& play, double most) {
  constexpr double enough = 128;  // of a channel
  if (play.turn == Bytes(0)) return 1;
  return static_cast<Block>(
      std::max(1.0, std::ceil(std::min({most, enough / play.loops, play.chunk / play.turn - 1e-9}))));
}

/// Chunks that follow each other whole; the last one is what is left. Or their pieces, which are alike.
Schedule tree_of(const Play& play, const std::vector<Order>& orders, int searched, Rank per_node,
                 Bytes message) {
  constexpr Block parts = 8;  // of a chunk
  const bool at_once = play.at_once;
  const auto loops = static_cast<Block>(std::max(1.0, play.loops)), together = pieces(play, 8);
  if (loops == 1 || together > 1)
    return trees(orders, searched, per_node, loops * together, at_once, 1, together);
  const double chunks = message / static_cast<double>(orders.size()) / play.chunk;
  const auto filled = static_cast<Block>(std::ceil(parts * chunks - 1e-9));
  return trees(orders, searched, per_node, std::clamp(filled, (loops - 1) * parts + 1, loops * parts),
               at_once, parts);
}

}  // namespace

std::vector<Order> orders(const NodeChannels& found, const std::vector<std::vector<Rank>>& nodes,
                          int searched, int channels) {
  std::vector<Order> all;
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
    Order& order = all.emplace_back();
    for (const std::vector<Rank>& ranks : nodes) {
      const std::size_t before = order.size(), at = c % static_cast<std::size_t>(searched);
      if (const auto& all_found = found.at(ranks.size()).channels; at < all_found.size())
        for (const int gpu : all_found[at].gpus)
          if (static_cast<std::size_t>(gpu) < ranks.size())
            order.push_back(ranks[static_cast<std::size_t>(gpu)]);
      if (order.size() - before == ranks.size()) continue;
      order.resize(before);  // several ranks share a GPU: one after the other
      order.insert(order.end(), ranks.begin(), ranks.end());
    }
  }
  return all;
}

Schedule rings(Collective collective, Rank root, const std::vector<Order>& orders, Block loops, Block filled,
               Rank per_node, Block pieces) {
  check(orders);
  const auto shared = std::make_shared<const std::vector<Order>>(orders);
  const Block ranks = static_cast<Block>(orders.front().size()),
              of_rank = static_cast<Block>(orders.size()) * loops;
  const Block all = ranks * of_rank,
              even = ranks * std::min(of_rank, (std::min(filled, all) + ranks - 1) / ranks);
  switch (collective) {
    case Collective::allreduce:
      return ring({shared, loops, false, std::min(filled, all)}, true, true);
    case Collective::reduce_scatter:
      return ring({shared, loops, true, even}, true, false);
    case Collective::allgather:
      return ring({shared, loops, true, even}, false, true);
    case Collective::broadcast:
      return chain(orders, root, loops, false, per_node, pieces);
    case Collective::reduce:
      return chain(orders, root, loops, true, per_node, pieces);
    default:
      throw InputError("NCCL plays no rings for " + std::string(definition(collective).name));
  }
}

Schedule trees(const std::vector<Order>& orders, int searched, Rank per_node, Block of_channel, bool at_once,
               Block of_chunk, Block together) {
  check(orders);
  std::vector<std::pair<Tree, Climb>> all;
  std::int64_t highest = 0, deepest = 0;
  for (std::size_t c = 0; c < orders.size(); ++c) {
    const Tree tree(orders[c], per_node, of_second_tree(c, searched));
    const Climb climb(tree, orders[c], per_node, together);
    highest = std::max(highest, -std::ranges::min(climb.up));
    deepest = std::max(deepest, std::ranges::max(climb.down) + 1);
    all.emplace_back(tree, climb);
  }
  const auto shared = std::make_shared<const std::vector<std::pair<Tree, Climb>>>(std::move(all));
  const Block pieces = (of_channel + of_chunk - 1) / of_chunk;
  const auto ranks = static_cast<Rank>(orders.front().size());
  const std::int64_t start_down = at_once ? highest : highest + pieces - 1;
  const std::size_t ways = at_once ? 2 : 1;
  auto rule = [=](std::int64_t s, Step& step) {
    for (std::size_t c = 0; c < shared->size(); ++c) {
      const auto& [tree, climb] = (*shared)[c];
      const std::size_t up_on = c * ways, down_on = up_on + ways - 1;
      for (Rank r = 0; r < ranks; ++r) {
        const auto at = static_cast<std::size_t>(r);
        const Rank up = tree.parent[at];
        if (up < 0) {
          if (at_once)
            step.joins.push_back(
                {static_cast<std::uint16_t>(up_on), static_cast<std::uint16_t>(down_on + 1), r});
          continue;
        }
        const Block count = climb.crosses[at] ? together : 1;
        const auto send = [&](std::size_t on, Rank from, Rank to, std::int64_t k, Combine combine) {
          if (k < 0 || k >= pieces || k % count > 0) return;
          const Block first = static_cast<Block>(k) * of_chunk;
          on_channel(
              step, on, from, to,
              {static_cast<Block>(c) * of_channel + first, std::min(count * of_chunk, of_channel - first)},
              combine);
        };
        send(up_on, r, up, s - highest - climb.up[at], Combine::reduce);
        send(down_on, up, r, s - start_down - climb.down[at], Combine::copy);
      }
    }
  };
  return {ranks,
          static_cast<Block>(orders.size()) * of_channel,
          highest == 0 ? 0 : start_down + deepest - 1 + pieces,
          rule,
          static_cast<int>(orders.size() * ways),
          static_cast<int>(ways)};
}

std::vector<PairTraffic> traffic(Shape shape, Collective collective, Rank root,
                                 const std::vector<Order>& orders, int searched, Rank per_node,
                                 Bytes message) {
  std::vector<PairTraffic> pairs;
  for (std::size_t c = 0; c < orders.size(); ++c) {
    const Order& order = orders[c];
    const Bytes share = message / static_cast<double>(orders.size());
    const auto ranks = static_cast<double>(order.size());
    if (shape == Shape::tree) {
      const Tree tree(order, per_node, of_second_tree(c, searched));
      for (const Rank r : order)
        if (const Rank up = tree.parent[static_cast<std::size_t>(r)]; up >= 0)
          pairs.push_back({r, up, share}), pairs.push_back({up, r, share});
      continue;
    }
    const bool broadcast = collective == Collective::broadcast, reduce = collective == Collective::reduce;
    const double rounds = broadcast || reduce                   ? 1
                          : collective == Collective::allreduce ? 2 * (ranks - 1) / ranks
                                                                : (ranks - 1) / ranks;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Rank from = order[i], to = order[(i + 1) % order.size()];
      if ((broadcast && to == root) || (reduce && from == root)) continue;  // the chain is cut there
      pairs.push_back({from, to, rounds * share});
    }
  }
  return pairs;
}

Algorithm scheduled(std::string name, Collective collective, const Candidate& candidate, const Play& play,
                    const std::vector<Order>& orders, int searched, Rank per_node) {
  const auto loops = static_cast<Block>(std::max(1.0, play.loops));
  Algorithm a;
  a.collective = collective;
  a.name = std::move(name);
  a.description = "as NCCL plays it: the channels of its search, chunk by chunk";
  a.schedule = [=](const Call& c) {
    if (candidate.shape == Shape::tree) return tree_of(play, orders, searched, per_node, c.message);
    // NCCL cuts what is left for the last of several loops into smaller chunks.
    const Block filled = play.loops > 1
                             ? std::numeric_limits<Block>::max()
                             : std::max<Block>(1, std::llround(std::ceil(c.message / play.chunk - 1e-9)));
    return rings(collective, c.root, orders, loops, filled, per_node, pieces(play, 128));
  };
  return a;
}

}  // namespace collcast::nccl
