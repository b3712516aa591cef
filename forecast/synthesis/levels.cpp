// SPDX-License-Identifier: Apache-2.0
#include "forecast/synthesis/levels.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "support/error.hpp"
#include "support/index.hpp"

namespace collcast {
namespace {

/// The cost of a message between two ranks, in the dearer direction.
double cost(const Fabric& fabric, Rank a, Rank b, Bytes message) {
  const auto one_way = [&](Rank from, Rank to) {
    const Wire w = fabric.wire(from, to, message);
    return (w.latency + w.overhead + w.receive_overhead + w.gap + message * w.per_byte).value;
  };
  return std::max(one_way(a, b), one_way(b, a));
}

/// Groups ranks that reach each other by steps of at most this distance: the lowest rank of each one's group.
std::vector<Rank> within(const std::vector<double>& distances, Rank ranks, double most) {
  std::vector<Rank> group(to_index(ranks), -1);
  for (Rank first = 0; first < ranks; ++first) {
    if (group[to_index(first)] >= 0) continue;
    std::vector<Rank> reached{first};
    group[to_index(first)] = first;
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (Rank r = 0; r < ranks; ++r)
        if (group[to_index(r)] < 0 && distances[to_index(reached[i]) * to_index(ranks) + to_index(r)] <= most)
          group[to_index(r)] = first, reached.push_back(r);
  }
  return group;
}

/// Makes each group so far a part of the group that its first rank belongs to.
std::vector<Group> gathered(std::vector<Group> parts, const std::vector<Rank>& group) {
  std::map<Rank, Group> whole;
  for (Group& part : parts) {
    Group& into = whole[group[to_index(part.ranks[0])]];
    into.ranks.insert(into.ranks.end(), part.ranks.begin(), part.ranks.end());
    into.parts.push_back(std::move(part));
  }
  std::vector<Group> all;
  for (auto& [first, g] : whole) all.push_back(g.parts.size() == 1 ? std::move(g.parts[0]) : std::move(g));
  return all;
}

Group joined(std::vector<Group> parts) {
  if (parts.size() == 1) return std::move(parts[0]);
  Group whole;
  for (const Group& part : parts) whole.ranks.insert(whole.ranks.end(), part.ranks.begin(), part.ranks.end());
  whole.parts = std::move(parts);
  return whole;
}

/// Groups of nearly equal numbers of parts, at most `radix` at once.
Group split(std::vector<Group> parts, std::size_t radix) {
  if (parts.size() <= radix) return joined(std::move(parts));
  std::vector<Group> fewer;
  for (std::size_t i = 0, first = 0; i < radix; ++i) {
    const std::size_t end = first + (parts.size() - first + radix - i - 1) / (radix - i);
    fewer.push_back(split({parts.begin() + static_cast<std::ptrdiff_t>(first),
                           parts.begin() + static_cast<std::ptrdiff_t>(end)},
                          radix));
    first = end;
  }
  return joined(std::move(fewer));
}

/// The groups at a depth; where a branch ends above it, its last groups.
void at_depth(const Group& g, int depth, std::vector<const Group*>& found) {
  if (depth == 0 || g.parts.empty()) return found.push_back(&g);
  for (const Group& part : g.parts) at_depth(part, depth - 1, found);
}
std::vector<const Group*> at_depth(const Group& g, int depth) {
  std::vector<const Group*> found;
  at_depth(g, depth, found);
  return found;
}

/// Calls `visit(group, depth)` for each group that has parts.
void each_group(const Group& g, int depth, const std::function<void(const Group&, int)>& visit) {
  if (g.parts.empty()) return;
  visit(g, depth);
  for (const Group& part : g.parts) each_group(part, depth + 1, visit);
}

using Blocks = std::vector<Block>;

std::vector<Chunk> pieces(Blocks blocks) {
  std::ranges::sort(blocks);
  std::vector<Chunk> all;
  for (const Block b : blocks)
    if (!all.empty() && all.back().first + all.back().count == b)
      ++all.back().count;
    else
      all.push_back({b, 1});
  return all;
}

/// A message of an allgather, by the ranks whose shares it carries.
struct Carried {
  Rank from, to;
  Blocks of;
};
using Trades = std::vector<std::vector<Carried>>;

/// Parts in turns: each sends to the next, then each to the one after it, and so on.
template <class Trade>
void each_pair(const Group& g, Trade&& trade) {
  const std::size_t parts = g.parts.size();
  for (std::size_t turn = 1; turn < parts; ++turn)
    for (std::size_t i = 0; i < parts; ++i) trade(g.parts[i], g.parts[(i + turn) % parts]);
}

/// The messages of an allgather, level by level: each part receives all shares of its group, each share at
/// one of the part's ranks.
Trades allgather(const Group& whole, Rank ranks) {
  Trades steps(static_cast<std::size_t>(levels(whole)));
  std::vector<Blocks> has(to_index(ranks));
  for (const Rank r : whole.ranks) has[to_index(r)] = {r};
  for (int depth = 0; depth < levels(whole); ++depth) {
    std::vector<Carried>& step = steps[static_cast<std::size_t>(depth)];
    each_group(whole, 0, [&](const Group& g, int d) {
      if (d != depth) return;
      each_pair(g, [&](const Group& from, const Group& to) {
        for (std::size_t i = 0; i < from.ranks.size(); ++i)
          if (!has[to_index(from.ranks[i])].empty())
            step.push_back({from.ranks[i], to.ranks[i % to.ranks.size()], has[to_index(from.ranks[i])]});
      });
    });
    for (const Carried& m : step)
      has[to_index(m.to)].insert(has[to_index(m.to)].end(), m.of.begin(), m.of.end());
  }
  return steps;
}

/// The content of a message: whole shares, or the parts for the ranks that it reaches.
using Content = std::function<void(Block share, const std::vector<Rank>& reached, Blocks& blocks)>;

/// The same messages with their content: what their receivers need, and what these pass on. Found backwards,
/// as a rank gets each share once.
Listing listed(const Trades& steps, Rank ranks, Block blocks, const Content& content) {
  Listing list{ranks, blocks, std::vector<std::vector<Listed>>(steps.size())};
  std::vector<std::map<Block, std::vector<Rank>>> beyond(to_index(ranks));
  for (std::size_t s = steps.size(); s-- > 0;) {
    for (const Carried& m : steps[s]) {
      Blocks taken;
      for (const Block share : m.of) {
        std::vector<Rank> reached = beyond[to_index(m.to)][share];
        reached.push_back(m.to);
        content(share, reached, taken);
      }
      if (!taken.empty()) list.steps[s].push_back({m.from, m.to, Combine::copy, pieces(taken)});
    }
    for (const Carried& m : steps[s])
      for (const Block share : m.of) {
        std::vector<Rank> reached = beyond[to_index(m.to)][share];
        reached.push_back(m.to);
        auto& mine = beyond[to_index(m.from)][share];
        mine.insert(mine.end(), reached.begin(), reached.end());
      }
  }
  std::erase_if(list.steps, [](const auto& step) { return step.empty(); });
  return list;
}

Content everything() {
  return [](Block share, const std::vector<Rank>&, Blocks& blocks) { blocks.push_back(share); };
}
/// The content of messages if only the root has data: all of it, or each rank's part.
Content of_root(Rank root, bool whole) {
  return [=](Block share, const std::vector<Rank>& reached, Blocks& blocks) {
    if (share != root) return;
    if (whole)
      blocks.push_back(0);
    else
      blocks.insert(blocks.end(), reached.begin(), reached.end());
  };
}
Content pairs(Rank ranks) {
  return [=](Block share, const std::vector<Rank>& reached, Blocks& blocks) {
    for (const Rank to : reached) blocks.push_back(share * ranks + to);
  };
}

/// Sums are scattered within groups of `shared` levels; between groups, ranks in the same position exchange
/// them.
Listing allreduce(const Group& whole, int shared) {
  const auto ranks = static_cast<Rank>(whole.ranks.size());
  const int depth = levels(whole) - shared;
  if (depth < 0)
    throw InputError(std::to_string(shared) + " levels cannot share: of the groups there are " +
                     std::to_string(levels(whole)));
  const std::vector<const Group*> teams = at_depth(whole, depth);
  const std::size_t places = teams[0]->ranks.size();
  if (!std::ranges::all_of(teams, [&](const Group* t) { return t->ranks.size() == places; }))
    throw InputError("groups differ in size");
  Listing gather{ranks, static_cast<Block>(places), {}};
  for (const Group* team : teams) {
    const Trades steps = allgather(*team, ranks);
    gather.steps.resize(std::max(gather.steps.size(), steps.size()));
    std::vector<Block> place(to_index(ranks));
    for (std::size_t i = 0; i < places; ++i) place[to_index(team->ranks[i])] = static_cast<Block>(i);
    for (std::size_t s = 0; s < steps.size(); ++s)
      for (const Carried& m : steps[s]) {
        Blocks blocks;
        for (const Block r : m.of) blocks.push_back(place[static_cast<std::size_t>(r)]);
        gather.steps[s].push_back({m.from, m.to, Combine::copy, pieces(blocks)});
      }
  }
  Listing trade{ranks, static_cast<Block>(places), {}};
  for (int d = depth - 1; d >= 0; --d) {
    trade.steps.emplace_back();
    each_group(whole, 0, [&](const Group& g, int at_level) {
      if (at_level != d) return;
      each_pair(g, [&](const Group& from, const Group& to) {
        for (std::size_t i = 0; i < to.ranks.size(); ++i)
          trade.steps.back().push_back({from.ranks[i % from.ranks.size()],
                                        to.ranks[i],
                                        Combine::reduce,
                                        {{static_cast<Block>(i % places), 1}}});
      });
    });
  }
  return then(then(reversed(gather, Combine::reduce), trade), gather);
}

}  // namespace

/// A level begins where the next distance is larger by a fifth.
Group nearest(const Fabric& fabric, Bytes message) {
  const Rank ranks = fabric.ranks();
  std::vector<double> distances(to_index(ranks) * to_index(ranks));
  for (Rank a = 0; a < ranks; ++a)
    for (Rank b = 0; b < a; ++b)
      distances[to_index(a) * to_index(ranks) + to_index(b)] =
          distances[to_index(b) * to_index(ranks) + to_index(a)] = cost(fabric, a, b, message);
  std::vector<double> sorted = distances;
  std::ranges::sort(sorted);
  std::vector<Group> groups;
  for (Rank r = 0; r < ranks; ++r) groups.push_back({{r}, {}});
  for (std::size_t i = 0; i + 1 < sorted.size() && groups.size() > 1; ++i)
    if (sorted[i] > 0 && sorted[i + 1] > 1.2 * sorted[i])
      groups = gathered(std::move(groups), within(distances, ranks, sorted[i]));
  return joined(std::move(groups));
}

int levels(const Group& group) {
  int deepest = 0;
  for (const Group& part : group.parts) deepest = std::max(deepest, 1 + levels(part));
  return deepest;
}

Group refined(const Group& group, const std::vector<int>& radices) {
  if (group.parts.empty()) return group;
  std::vector<Group> parts;
  const std::vector<int> inner(radices.begin() + 1, radices.end());
  for (const Group& part : group.parts) parts.push_back(refined(part, inner));
  return split(std::move(parts), static_cast<std::size_t>(radices[0]));
}

bool plays_levels(Collective c) {
  switch (c) {
    case Collective::allgather:
    case Collective::reduce_scatter:
    case Collective::allreduce:
    case Collective::broadcast:
    case Collective::reduce:
    case Collective::gather:
    case Collective::scatter:
    case Collective::alltoall:
      return true;
    default:
      return false;
  }
}

Listing by_levels(const Group& whole, Collective collective, Rank root, int shared) {
  const auto ranks = static_cast<Rank>(whole.ranks.size());
  const auto messages = [&](Block blocks, const Content& content) {
    return listed(allgather(whole, ranks), ranks, blocks, content);
  };
  const auto tree = [&] { return messages(1, of_root(root, true)); };
  const auto parts = [&] { return messages(ranks, of_root(root, false)); };
  const auto all = [&] { return messages(ranks, everything()); };
  switch (collective) {
    case Collective::allgather:
      return all();
    case Collective::reduce_scatter:
      return reversed(all(), Combine::reduce);
    case Collective::allreduce:
      return allreduce(whole, shared);
    case Collective::broadcast:
      return shared == 0 ? tree() : then(parts(), all());
    case Collective::reduce:
      if (shared == 0) return reversed(tree(), Combine::reduce);
      return then(reversed(all(), Combine::reduce), reversed(parts(), Combine::copy));
    case Collective::scatter:
      return parts();
    case Collective::gather:
      return reversed(parts(), Combine::copy);
    case Collective::alltoall:
      return messages(Block{ranks} * ranks, pairs(ranks));
    default:
      throw InputError("no messages by levels play " + std::string(definition(collective).name));
  }
}

}  // namespace collcast
