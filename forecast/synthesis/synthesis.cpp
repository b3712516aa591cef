// SPDX-License-Identifier: Apache-2.0
#include "forecast/synthesis/synthesis.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "support/error.hpp"

namespace collcast {
namespace {

using Pairs = std::function<bool(Rank, Rank)>;

Wiring turned_round(Wiring w) {
  const Wiring given = w;
  for (int u = 0; u < w.vertices(); ++u)
    for (int v = 0; v < w.vertices(); ++v) w(u, v) = given(v, u);
  w.turns = [turns = given.turns](int from, int through, int to) { return turns(to, through, from); };
  return w;
}

/// The wiring in the direction of the data: copies go down the trees, sums go up. An allreduce does both; its
/// trees are packed as if links were equally wide both ways, and where they are not, the busiest link shows
/// it.
Wiring directed(Wiring w, Collective collective) {
  return spreads_copies(collective) ? w : turned_round(std::move(w));
}

/// All pairs of ranks between nodes, and those within nodes whose route is at least half as wide as the
/// widest route from one of the two.
Pairs wide_pairs(const Machine& machine, const Fabric& fabric) {
  const Rank n = fabric.ranks();
  const auto at = [n](Rank a, Rank b) {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(n) + static_cast<std::size_t>(b);
  };
  std::vector<double> width(at(n, 0), 0), widest(static_cast<std::size_t>(n), 0);
  std::vector<LinkId> route;
  for (Rank a = 0; a < n; ++a)
    for (Rank b = 0; b < n; ++b) {
      if (a == b || machine.node(a) != machine.node(b)) continue;
      route.clear();
      fabric.route(a, b, route);
      double narrowest = HUGE_VAL;
      for (const LinkId l : route) narrowest = std::min(narrowest, fabric.links()[l].bandwidth.value);
      width[at(a, b)] = narrowest;
      widest[static_cast<std::size_t>(a)] = std::max(widest[static_cast<std::size_t>(a)], narrowest);
    }
  return [=, &machine](Rank a, Rank b) {
    return machine.node(a) != machine.node(b) ||
           2 * width[at(a, b)] >=
               std::min(widest[static_cast<std::size_t>(a)], widest[static_cast<std::size_t>(b)]);
  };
}

/// Pairs each rank with those ranks of each node that it reaches by the fewest links: those of its own rail.
Pairs near_pairs(const Machine& machine, const Fabric& fabric) {
  std::set<std::pair<Rank, Rank>> near;
  std::vector<LinkId> route;
  for (Rank a = 0; a < fabric.ranks(); ++a) {
    std::map<int, std::pair<std::size_t, std::vector<Rank>>> by_node;  // number of links, ranks that far away
    for (Rank b = 0; b < fabric.ranks(); ++b) {
      if (a == b) continue;
      route.clear();
      fabric.route(a, b, route);
      auto& [links, ranks] = by_node[machine.node(b)];
      if (ranks.empty() || route.size() < links) links = route.size(), ranks.clear();
      if (route.size() == links) ranks.push_back(b);
    }
    for (const auto& [node, nearest] : by_node)
      for (const Rank b : nearest.second) near.emplace(a, b);
  }
  return [near = std::move(near)](Rank a, Rank b) { return near.contains({a, b}); };
}

constexpr std::int64_t most_trees = 64;  ///< from a root
constexpr Rank most_apart = 64;          ///< beyond so many ranks, switches are looked at only if joined

bool all_pairs(Rank, Rank) {
  return true;
}

/// The time of a byte of the message by the worst cut, or by the worst parts of an allreduce. A wiring made
/// for splitting may know less about either: ranks that share a place, merged switches.
SecondsPerByte least_on_links(Collective collective, const Fabric& fabric, const Pairs& pairs,
                              const Wiring& w, const std::vector<std::int64_t>& shares, std::size_t roots) {
  const bool both_ways = collective == Collective::allreduce;
  const Wiring exact = w.shared || both_ways ? directed(one_way_wiring(fabric, pairs), collective) : w;
  const double time = both_ways
                          ? std::max(worst_parts(exact).value(), worst_parts(turned_round(exact)).value())
                          : worst_cut(exact, shares).value() / static_cast<double>(roots);
  return SecondsPerByte(time / exact.unit.value);
}

/// A synthesis on the links that messages between these pairs take.
Synthesis between(const Pairs& pairs, bool joined, Collective collective, const Fabric& fabric, Rank root,
                  std::int64_t trees, const Stop& stop) {
  const std::vector<Rank> roots = collcast::roots(collective, fabric.ranks(), root);
  std::vector<std::int64_t> shares(static_cast<std::size_t>(fabric.ranks()));
  for (const Rank r : roots) shares[static_cast<std::size_t>(r)] = 1;
  const Wiring w = directed(wiring(fabric, pairs, shares, joined), collective);
  Synthesis s;
  s.root = root;
  s.optimum = least_on_links(collective, fabric, pairs, w, shares, roots.size());
  try {
    s.forest = pack(w, shares, trees, most_trees, stop).forest;
  } catch (const NoTrees&) {
    throw NoTrees(s.optimum);
  }
  s.depth = depth(s.forest);
  s.algorithm = algorithm_of(s.forest, collective, root, "trees-" + std::to_string(s.forest.trees_per_root));
  find_busiest(s, fabric);
  return s;
}

}  // namespace

std::int64_t depth(const Forest& forest) {
  std::int64_t deepest = 0;
  for (const Tree& tree : forest.trees) {
    std::vector<std::int64_t> at(static_cast<std::size_t>(forest.ranks));
    for (const auto& [from, to] : tree.edges)
      deepest = std::max(deepest, at[static_cast<std::size_t>(to)] = at[static_cast<std::size_t>(from)] + 1);
  }
  return deepest;
}

void check_synthesized(Rank ranks) {
  if (ranks > most_synthesized)
    throw InputError("a synthesis takes at most " + std::to_string(most_synthesized) + " ranks, not " +
                     std::to_string(ranks) + "; `predict` finds the catalogue's fastest for more");
}

void find_busiest(Synthesis& s, const Fabric& fabric) {
  const Collective collective = s.algorithm.collective;
  const bool up = definition(collective).reduces;
  const bool down = spreads_copies(collective);
  const auto parts = static_cast<double>(s.forest.trees_per_root) *
                     static_cast<double>(roots(collective, s.forest.ranks, s.root).size());
  std::vector<double> busy(fabric.links().size());
  std::vector<LinkId> route;
  for (const Tree& tree : s.forest.trees)
    for (const auto& [from, to] : tree.edges)
      for (const bool way : {false, true}) {
        if (!(way ? down : up)) continue;
        route.clear();
        way ? fabric.route(from, to, route) : fabric.route(to, from, route);
        for (const LinkId l : route)
          busy[l] += static_cast<double>(tree.count) / parts / fabric.links()[l].bandwidth.value;
      }
  if (busy.empty()) return;
  const auto most = std::ranges::max_element(busy);
  s.busiest = SecondsPerByte(*most);
  s.busiest_link = fabric.link_name(static_cast<LinkId>(most - busy.begin()));
}

/// Logical links may differ from the routes that messages take. If that costs time, other wirings are tried:
/// slower links left to messages between nodes, near ranks only, switches apart. The one whose routes are the
/// least busy is taken.
Synthesis synthesize(Collective collective, const Forecaster& forecaster, Rank root, std::int64_t trees,
                     const Stop& stop) {
  const Fabric& fabric = forecaster.fabric();
  if (!plays_forests(collective))
    throw InputError("there is no method to synthesize " + std::string(definition(collective).name) +
                     "; there is one for allgather, reduce-scatter, allreduce, broadcast and reduce");
  check_synthesized(fabric.ranks());
  std::optional<Synthesis> best;
  SecondsPerByte optimum(HUGE_VAL);
  bool unpacked = false;
  std::string refused;
  for (const auto& [pairs, joined] : {std::pair<Pairs, bool>{all_pairs, true},
                                      {wide_pairs(forecaster.machine(), fabric), true},
                                      {near_pairs(forecaster.machine(), fabric), true},
                                      {all_pairs, false},
                                      {wide_pairs(forecaster.machine(), fabric), false}}) {
    if (best && (best->busiest <= optimum * 1.01 || (!joined && fabric.ranks() > most_apart))) break;
    try {
      const Synthesis found = between(pairs, joined, collective, fabric, root, trees, stop);
      optimum = std::min(optimum, found.optimum);
      if (!best || found.busiest < best->busiest) best = found;
    } catch (const Stopped&) {
      if (best) break;
      throw;
    } catch (const NoTrees& e) {
      optimum = std::min(optimum, e.optimum), unpacked = true;
    } catch (const InputError& e) {
      if (refused.empty()) refused = e.what();
    }
  }
  if (!best && unpacked) throw NoTrees(optimum);
  if (!best) throw InputError(refused);
  best->optimum = optimum;
  return *best;
}

}  // namespace collcast
