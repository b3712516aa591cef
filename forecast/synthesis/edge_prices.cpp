// SPDX-License-Identifier: Apache-2.0
#include "forecast/synthesis/edge_prices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace collcast {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// The cheapest edge into each vertex of a graph that may have been contracted.
struct Cheapest {
  std::vector<std::size_t> before;
  std::vector<double> cost;
};
Cheapest into_each(std::size_t n, std::size_t root, const std::vector<double>& cost) {
  Cheapest best{std::vector<std::size_t>(n, root), std::vector<double>(n, never)};
  best.cost[root] = 0;
  for (std::size_t from = 0; from < n; ++from)
    for (std::size_t to = 0; to < n; ++to)
      if (to != root && from != to && cost[from * n + to] < best.cost[to])
        best.cost[to] = cost[from * n + to], best.before[to] = from;
  return best;
}

/// Gives the vertices of each circle of cheapest edges one number; returns how many numbers there are.
std::size_t number_circles(const Cheapest& best, std::size_t root, std::vector<std::size_t>& number) {
  const std::size_t n = best.before.size();
  constexpr auto none = static_cast<std::size_t>(-1);
  number.assign(n, none);
  std::vector<std::size_t> seen_from(n, none);
  std::size_t numbers = 0;
  for (std::size_t v = 0; v < n; ++v) {
    std::size_t u = v;
    while (u != root && seen_from[u] == none) seen_from[u] = v, u = best.before[u];
    if (u == root || seen_from[u] != v || number[u] != none) continue;
    for (std::size_t w = best.before[u]; w != u; w = best.before[w]) number[w] = numbers;
    number[u] = numbers++;
  }
  for (std::size_t& i : number)
    if (i == none) i = numbers++;
  return numbers;
}

/// Whether the port serves no other message meanwhile. Messages that go side by side share nothing but links.
bool leaves_in_turn(const Wire& wire, bool until_delivery) {
  return until_delivery || wire.next != Wire::Next::at_once;
}

}  // namespace

EdgeUses::EdgeUses(const Fabric& fabric, Collective collective)
    : fabric_(&fabric),
      ranks_(fabric.ranks()),
      links_(fabric.links().size()),
      resources_(links_ + fabric.ports()) {
  uses_.resize(at(ranks_, 0));
  const bool up = definition(collective).reduces;
  const bool down = spreads_copies(collective);
  const bool receiver_held = fabric.protocol().hold == MessageProtocol::Hold::delivery;
  const std::vector<Bytes> sizes = fabric.sizes();
  std::vector<LinkId> route;
  for (Rank from = 0; from < ranks_; ++from)
    for (Rank to = 0; to < ranks_; ++to) {
      if (from == to) continue;
      route.clear();
      fabric.route(from, to, route);
      double framing = never;
      std::map<Port, double> ports;
      for (const Bytes bytes : sizes) {
        const Wire w = fabric.wire(from, to, bytes);
        framing = std::min(framing, w.framing);
        const double held = (w.per_byte - w.software).value;
        for (const Port p : {w.out, w.in}) {
          if (p == w.in && !receiver_held) continue;
          const double own = leaves_in_turn(w, receiver_held) ? held : 0;
          const auto [known, added] = ports.try_emplace(p, own);
          if (!added) known->second = std::min(known->second, own);
        }
      }
      const auto take = [&](Rank parent, Rank child) {
        auto& all = uses_[at(parent, child)];
        for (const LinkId l : route) all.push_back({l, framing / fabric.links()[l].bandwidth.value});
        for (const auto& [port, time] : ports)
          if (time > 0) all.push_back({static_cast<std::uint32_t>(links_ + port), time});
      };
      if (down) take(from, to);
      if (up) take(to, from);
    }
}

Busy busiest(const std::vector<double>& busy) {
  if (busy.empty()) return {};
  const auto most = std::ranges::max_element(busy);
  return {SecondsPerByte(*most), static_cast<std::size_t>(most - busy.begin())};
}

std::vector<std::size_t> cheapest_tree(std::size_t n, std::size_t root, const std::vector<double>& cost) {
  Cheapest best = into_each(n, root, cost);
  std::vector<std::size_t> number;
  const std::size_t m = number_circles(best, root, number);
  if (m == n) return std::move(best.before);
  std::vector<double> contracted(m * m, never);
  std::vector<std::size_t> entry(m * m);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (number[i] == number[j] || j == root) continue;
      const std::size_t edge = number[i] * m + number[j];
      const double more = cost[i * n + j] - best.cost[j];
      if (more < contracted[edge]) contracted[edge] = more, entry[edge] = i * n + j;
    }
  const std::vector<std::size_t> above = cheapest_tree(m, number[root], contracted);
  for (std::size_t v = 0; v < m; ++v)
    if (v != number[root]) {
      const std::size_t edge = entry[above[v] * m + v];
      best.before[edge % n] = edge / n;
    }
  return std::move(best.before);
}

namespace {

/// Trees that each carry a fraction; those of a root together carry its share. In turns, parts move to
/// cheaper trees.
class Fractions {
 public:
  Fractions(const EdgeUses& uses, const std::vector<Rank>& roots)
      : uses_(uses),
        roots_(roots),
        ranks_(static_cast<std::size_t>(uses.ranks())),
        share_(1 / static_cast<double>(roots.size())),
        busy_(uses.resources()),
        cost_(ranks_ * ranks_),
        own_(roots.size(), busy_) {}

  /// Prices of the resources, which grow with how busy these are; their sum is 1.
  std::vector<double> prices(double steepness) const {
    const double top = *std::ranges::max_element(busy_);
    std::vector<double> all(busy_.size(), 1);
    for (std::size_t r = 0; r < all.size() && top > 0; ++r)
      all[r] = std::exp(steepness * (busy_[r] / top - 1));
    const double sum = std::accumulate(all.begin(), all.end(), 0.0);
    for (double& price : all) price /= sum;
    return all;
  }

  /// Each root moves a part of its share to the tree that is the cheapest now, away from the others.
  void turn(double part, double steepness) {
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      set_costs(prices(steepness));
      for (std::size_t r = 0; r < busy_.size(); ++r) {
        const double less = part * own_[i][r];
        own_[i][r] -= less, busy_[r] -= less;
      }
      const auto above = cheapest(roots_[i]);
      for (Rank v = 0; v < uses_.ranks(); ++v) {
        if (v == roots_[i]) continue;
        for (const auto& [resource, time] : uses_(static_cast<Rank>(above[static_cast<std::size_t>(v)]), v)) {
          own_[i][resource] += part * share_ * time;
          busy_[resource] += part * share_ * time;
        }
      }
    }
  }

  /// The cost of the cheapest trees at prices that add up to 1; `taken`: how busy they keep each resource.
  double bound(const std::vector<double>& prices, std::vector<double>& taken) {
    set_costs(prices);
    taken.assign(busy_.size(), 0);
    double all = 0;
    for (const Rank root : roots_) {
      const auto above = cheapest(root);
      for (Rank v = 0; v < uses_.ranks(); ++v) {
        if (v == root) continue;
        const auto from = static_cast<Rank>(above[static_cast<std::size_t>(v)]);
        all += share_ * cost_[uses_.at(from, v)];
        for (const auto& [resource, time] : uses_(from, v)) taken[resource] += share_ * time;
      }
    }
    return all;
  }
  /// How busy the busiest resource is: never below the bound of any prices.
  double top() const { return *std::ranges::max_element(busy_); }

 private:
  void set_costs(const std::vector<double>& prices) {
    for (Rank from = 0; from < uses_.ranks(); ++from)
      for (Rank to = 0; to < uses_.ranks(); ++to) {
        double& cost = cost_[uses_.at(from, to)] = 0;
        for (const auto& [resource, time] : uses_(from, to)) cost += time * prices[resource];
      }
  }
  std::vector<std::size_t> cheapest(Rank root) const {
    return cheapest_tree(ranks_, static_cast<std::size_t>(root), cost_);
  }

  const EdgeUses& uses_;
  const std::vector<Rank>& roots_;
  std::size_t ranks_;
  double share_;
  std::vector<double> busy_, cost_;
  std::vector<std::vector<double>> own_;  ///< by root, how busy its trees keep each resource
};

void normalize(std::vector<double>& prices) {
  const double sum = std::accumulate(prices.begin(), prices.end(), 0.0);
  for (double& price : prices) price /= sum;
}

/// The mean of the prices over the turns of fractions of trees.
std::vector<double> first_prices(Fractions& fractions, std::size_t resources, const Stop& stop) {
  constexpr int turns = 100;
  std::vector<double> mean(resources);
  for (int i = 1; i <= turns && !(stop && stop()); ++i) {
    const double steepness = 5 * std::sqrt(i);
    fractions.turn(2.0 / (i + 1), steepness);
    const std::vector<double> prices = fractions.prices(steepness);
    for (std::size_t r = 0; r < mean.size(); ++r) mean[r] += 2.0 / (i + 1) * (prices[r] - mean[r]);
  }
  return mean;
}

/// The highest bound found uphill from these prices. The bound is concave in the prices, and its gradient is
/// what the cheapest trees take (`taken`). A step is as long as it would have to be to reach `top`, a time
/// that some schedule reaches, if the bound were linear (Polyak); it changes each price by a factor. Steps
/// become shorter when they bring nothing.
template <class BoundAt>
double highest(std::vector<double> prices, double top, const Stop& stop, BoundAt&& bound_at) {
  constexpr int steps = 300, patience = 10;
  constexpr double near = 1.002;
  std::vector<double> taken;
  double least = 0, length = 1;
  for (int i = 0, in_vain = 0; i < steps && !(stop && stop()); ++i) {
    normalize(prices);
    const double bound = bound_at(prices, taken);
    if (bound > least)
      least = bound, in_vain = 0;
    else if (++in_vain == patience)
      length /= 2, in_vain = 0;
    if (top <= near * least) break;
    double spread = 0;
    for (std::size_t r = 0; r < prices.size(); ++r) spread += prices[r] * std::pow(taken[r] - bound, 2);
    if (!(spread > 0)) break;
    const double step = length * (top - bound) / spread;
    for (std::size_t r = 0; r < prices.size(); ++r)
      prices[r] *= std::exp(std::clamp(step * (taken[r] - bound), -1.0, 1.0));
  }
  return least;
}

/// Whether a rank has a share for any other.
bool has_any(const Addressed& addressed, Rank from, Rank ranks) {
  for (Rank to = 0; to < ranks; ++to)
    if (addressed(from, to)) return true;
  return false;
}

/// Finds the cheapest ways from a rank to all ranks that it has a share for (Dijkstra). Adds what they take
/// to `taken` and returns their cost.
double add_ways(const EdgeUses& uses, const Addressed& addressed, Rank from, const std::vector<double>& cost,
                std::vector<double>& taken) {
  const auto n = static_cast<std::size_t>(uses.ranks());
  std::vector<double> far(n, never);
  std::vector<Rank> before(n, from), order;
  std::vector<char> done(n);
  far[static_cast<std::size_t>(from)] = 0;
  double all = 0;
  for (std::size_t round = 0; round < n; ++round) {
    std::size_t next = n;
    for (std::size_t r = 0; r < n; ++r)
      if (!done[r] && (next == n || far[r] < far[next])) next = r;
    done[next] = 1;
    order.push_back(static_cast<Rank>(next));
    for (std::size_t r = 0; r < n; ++r)
      if (const double by = far[next] + cost[uses.at(order.back(), static_cast<Rank>(r))]; by < far[r])
        far[r] = by, before[r] = order.back();
  }
  std::vector<double> below(n);  // by rank: the ways that end at it or lead through it
  for (const Rank to : order)
    if (addressed(from, to))
      below[static_cast<std::size_t>(to)] = 1, all += far[static_cast<std::size_t>(to)];
  for (; order.size() > 1; order.pop_back()) {
    const Rank r = order.back(), above = before[static_cast<std::size_t>(r)];
    for (const auto& [resource, time] : uses(above, r))
      taken[resource] += below[static_cast<std::size_t>(r)] * time;
    below[static_cast<std::size_t>(above)] += below[static_cast<std::size_t>(r)];
  }
  return all;
}

}  // namespace

SecondsPerByte least_by_prices(const EdgeUses& uses, const std::vector<Rank>& roots, const Stop& stop) {
  Fractions fractions(uses, roots);
  std::vector<double> prices = first_prices(fractions, uses.resources(), stop);
  return SecondsPerByte(highest(
      std::move(prices), fractions.top(), stop,
      [&](const std::vector<double>& at, std::vector<double>& taken) { return fractions.bound(at, taken); }));
}

double least_by_cheapest_routes(const EdgeUses& uses, const Addressed& addressed,
                                const std::vector<double>& busy, const Stop& stop) {
  constexpr double steepness = 30;
  const double top = busy.empty() ? 0 : *std::ranges::max_element(busy);
  if (!(top > 0)) return 0;
  std::vector<double> prices;
  for (const double b : busy) prices.push_back(std::exp(steepness * (b / top - 1)));
  std::vector<double> cost(uses.at(uses.ranks(), 0));
  return highest(std::move(prices), top, stop,
                 [&](const std::vector<double>& at, std::vector<double>& taken) {
                   for (Rank from = 0; from < uses.ranks(); ++from)
                     for (Rank to = 0; to < uses.ranks(); ++to) {
                       double& all = cost[uses.at(from, to)] = 0;
                       for (const auto& [resource, time] : uses(from, to)) all += time * at[resource];
                     }
                   taken.assign(busy.size(), 0);
                   double all = 0;
                   for (Rank from = 0; from < uses.ranks(); ++from)
                     if (has_any(addressed, from, uses.ranks()))
                       all += add_ways(uses, addressed, from, cost, taken);
                   return all;
                 });
}

}  // namespace collcast
