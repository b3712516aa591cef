// SPDX-License-Identifier: Apache-2.0
#include "forecast/synthesis/flow.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "forecast/synthesis/edge_prices.hpp"

namespace collcast {
namespace {

constexpr int most_sweeps = 40;
constexpr double near_enough = 1.002;  ///< times the lower bound of all ways

/// Units on their ways, and how busy links are with them.
class Rerouting {
 public:
  Rerouting(const Fabric& fabric, const Addressed& addressed, Block units)
      : addressed_(addressed),
        ranks_(static_cast<std::size_t>(fabric.ranks())),
        units_(static_cast<std::size_t>(units)) {
    for (const Link& link : fabric.links())
      unit_.push_back(1 / link.bandwidth.value / static_cast<double>(units));
    busy_.resize(unit_.size()), hops_.resize(unit_.size());
    routes_.resize(ranks_ * ranks_);
    ways_.resize(ranks_ * ranks_ * units_);
    for (std::size_t s = 0; s < ranks_; ++s)
      for (std::size_t d = 0; d < ranks_; ++d) {
        if (s == d) continue;
        fabric.route(rank(s), rank(d), routes_[s * ranks_ + d]);
        for (const LinkId l : routes_[s * ranks_ + d]) hops_[l].push_back(s * ranks_ + d);
        for (std::size_t i = 0; i < units_ && wanted(s, d); ++i) {
          way(s, d, i) = {rank(s), rank(d)};
          put(way(s, d, i), 1);
        }
      }
  }

  /// Each unit looks for a cheaper way, in turns.
  void sweep(double steepness) {
    steepness_ = steepness, top_ = time(), tie_ = -tie_;
    dearer_.assign(busy_.size(), 0);
    hop_.assign(ranks_ * ranks_, 0);
    for (LinkId l = 0; l < busy_.size(); ++l) reprice(l);
    for (std::size_t i = 0; i < units_; ++i)
      for (std::size_t turn = 1; turn < ranks_; ++turn)
        for (std::size_t s = 0; s < ranks_; ++s) {
          const std::size_t d = (s + turn) % ranks_;
          if (!wanted(s, d)) continue;
          put(way(s, d, i), -1);
          way(s, d, i) = way_to(d, s, cheapest(s, d).before);
          put(way(s, d, i), 1);
        }
  }

  /// The lower bound: the least cost of all ways, over the cost of all links together.
  double bound(double steepness) {
    const double top = time();
    hop_.assign(ranks_ * ranks_, 0);
    double all = 0, prices = 0;
    for (LinkId l = 0; l < busy_.size() && top > 0; ++l) {
      const double price = std::exp(steepness * (busy_[l] / top - 1));
      prices += price;
      for (const std::size_t h : hops_[l]) hop_[h] += price * unit_[l];
    }
    for (std::size_t s = 0; s < ranks_; ++s) {
      const Tree tree = cheapest(s, ranks_);
      for (std::size_t d = 0; d < ranks_; ++d)
        if (wanted(s, d)) all += tree.cost[d];
    }
    return prices > 0 ? static_cast<double>(units_) * all / prices : 0;
  }

  LinkId busiest() const { return static_cast<LinkId>(std::ranges::max_element(busy_) - busy_.begin()); }
  double time() const { return busy_.empty() ? 0 : busy_[busiest()]; }
  const std::vector<std::vector<Rank>>& ways() const { return ways_; }

 private:
  struct Tree {
    std::vector<double> cost;
    std::vector<std::size_t> before;
  };

  static Rank rank(std::size_t r) { return static_cast<Rank>(r); }
  bool wanted(std::size_t s, std::size_t d) const { return addressed_(rank(s), rank(d)); }
  std::vector<Rank>& way(std::size_t s, std::size_t d, std::size_t i) {
    return ways_[(s * ranks_ + d) * units_ + i];
  }

  void put(const std::vector<Rank>& way, double sign) {
    for (std::size_t i = 0; i + 1 < way.size(); ++i)
      for (const LinkId l :
           routes_[static_cast<std::size_t>(way[i]) * ranks_ + static_cast<std::size_t>(way[i + 1])]) {
        busy_[l] += sign * unit_[l];
        if (top_ > 0) reprice(l);
      }
  }

  /// What one more unit adds to the sum of all links' exp(steepness * busy / top).
  void reprice(LinkId l) {
    const auto term = [&](double busy) { return std::exp(steepness_ * (busy / top_ - 1)); };
    const double now = term(busy_[l] + unit_[l]) - term(busy_[l]);
    for (const std::size_t h : hops_[l]) hop_[h] += now - dearer_[l];
    dearer_[l] = now;
  }

  /// Dijkstra over ranks, up to `to`.
  Tree cheapest(std::size_t from, std::size_t to) const {
    Tree tree{std::vector<double>(ranks_, HUGE_VAL), std::vector<std::size_t>(ranks_, from)};
    std::vector<char> done(ranks_);
    tree.cost[from] = 0;
    for (std::size_t round = 0; round < ranks_; ++round) {
      std::size_t next = ranks_;
      for (std::size_t r = 0; r < ranks_; ++r)
        if (!done[r] && (next == ranks_ || tree.cost[r] < tree.cost[next])) next = r;
      if (next == to) break;
      done[next] = 1;
      for (std::size_t r = 0; r < ranks_; ++r) {
        const double cost = tree.cost[next] + std::max(0.0, hop_[next * ranks_ + r]);
        if (!done[r] && (std::isinf(tree.cost[r]) || cost < tree.cost[r] * (1 + tie_)))
          tree.cost[r] = cost, tree.before[r] = next;
      }
    }
    return tree;
  }

  static std::vector<Rank> way_to(std::size_t to, std::size_t from, const std::vector<std::size_t>& before) {
    std::vector<Rank> way{rank(to)};
    while (to != from) way.push_back(rank(to = before[to]));
    std::ranges::reverse(way);
    return way;
  }

  Addressed addressed_;
  std::size_t ranks_, units_;
  double steepness_ = 0, top_ = 0;
  /// Share by which a new way may cost more, or in the next sweep has to cost less: this leads off plateaus.
  double tie_ = 1e-9;
  std::vector<double> unit_, busy_,
      dearer_;               ///< per link: a unit's time, all units' time, the next one's price
  std::vector<double> hop_;  ///< price of a unit from rank to rank
  std::vector<std::vector<LinkId>> routes_;     ///< from rank to rank
  std::vector<std::vector<std::size_t>> hops_;  ///< by link: the pairs of ranks whose route crosses it
  std::vector<std::vector<Rank>> ways_;
};

}  // namespace

std::vector<double> busy(const Flow& flow, const EdgeUses& uses) {
  std::vector<double> all(uses.resources());
  for (const std::vector<Rank>& way : flow.ways)
    for (std::size_t i = 0; i + 1 < way.size(); ++i)
      for (const auto& [resource, time] : uses(way[i], way[i + 1]))
        all[resource] += time / static_cast<double>(flow.units);
  return all;
}

bool Flow::direct() const {
  return std::ranges::all_of(ways, [](const auto& way) { return way.size() <= 2; });
}

Flow least_busy(const Fabric& fabric, const Addressed& addressed, Block units, const Stop& stop) {
  Rerouting rerouting(fabric, addressed, units);
  Flow best{addressed, fabric.ranks(), units, rerouting.ways(), rerouting.time(), 0};
  for (int sweep = 0; sweep < most_sweeps && best.time > 0; ++sweep) {
    const double steepness = 5 * std::pow(1.08, sweep);
    for (const double steep : {steepness / 2, steepness, 2 * steepness, 1000.0})
      best.least = std::max(best.least, rerouting.bound(steep));
    if (best.time <= near_enough * best.least || (stop && stop())) break;
    rerouting.sweep(steepness);
    if (rerouting.time() < best.time * (1 - 1e-9)) best.time = rerouting.time(), best.ways = rerouting.ways();
  }
  const EdgeUses uses(fabric, addressed.collective);
  best.least = std::max(best.least, least_by_cheapest_routes(uses, addressed, busy(best, uses), stop));
  return best;
}

namespace {

/// The first of the blocks, in units, that rank s has for rank d.
Block share(const Flow& flow, Rank s, Rank d) {
  switch (flow.addressed.collective) {
    case Collective::scatter:
      return d;
    case Collective::gather:
      return s;
    default:
      return Block{s} * flow.ranks + d;
  }
}

}  // namespace

Listing listing(const Flow& flow, bool in_turns) {
  const Block units = flow.direct() ? 1 : flow.units;
  const Block shares = share(flow, flow.ranks - 1, flow.ranks - 1) + 1;
  Listing l{flow.ranks, shares * units, {}};
  /// The messages of each step, by sender and receiver.
  std::vector<std::map<std::pair<Rank, Rank>, std::vector<Chunk>>> steps;
  for (Rank turn = 1; turn < flow.ranks; ++turn)
    for (Rank s = 0; s < flow.ranks; ++s)
      for (Block i = 0; i < units; ++i) {
        const Rank d = (s + turn) % flow.ranks;
        if (!flow.addressed(s, d)) continue;
        const Block pair = Block{s} * flow.ranks + d, block = share(flow, s, d) * units + i;
        const auto& way = flow.ways[static_cast<std::size_t>(pair * flow.units + i)];
        const std::size_t first = in_turns ? static_cast<std::size_t>(turn - 1) : 0;
        if (steps.size() < first + way.size() - 1) steps.resize(first + way.size() - 1);
        for (std::size_t h = 0; h + 1 < way.size(); ++h) {
          auto& pieces = steps[first + h][{modulo(way[h + 1] - way[h], flow.ranks), way[h]}];
          if (!pieces.empty() && pieces.back().first + pieces.back().count == block)
            ++pieces.back().count;
          else
            pieces.push_back({block, 1});
        }
      }
  for (const auto& messages : steps) {
    auto& step = l.steps.emplace_back();
    for (const auto& [key, pieces] : messages)
      step.push_back({key.second, (key.second + key.first) % flow.ranks, Combine::copy, pieces});
  }
  return l;
}

}  // namespace collcast
