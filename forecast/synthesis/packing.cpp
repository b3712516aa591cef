// SPDX-License-Identifier: Apache-2.0
#include "forecast/synthesis/packing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

#include "model/bounds/max_flow.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

using Amount = std::int64_t;
using Shares = std::vector<Amount>;

Amount sum(const Shares& shares) {
  return std::accumulate(shares.begin(), shares.end(), Amount{0});
}

/// The wiring as a flow graph, with a source as last vertex that gives each rank `factor` times its share.
FlowGraph sourced(const Wiring& w, const Shares& shares, Amount factor) {
  FlowGraph graph(w.vertices() + 1);
  for (int u = 0; u < w.vertices(); ++u)
    for (int v = 0; v < w.vertices(); ++v)
      if (w(u, v) > 0) graph.add_edge(u, v, w(u, v));
  for (Rank r = 0; r < w.ranks(); ++r)
    if (shares[static_cast<std::size_t>(r)] > 0)
      graph.add_edge(w.vertices(), r, factor * shares[static_cast<std::size_t>(r)]);
  return graph;
}

/// How much of all shares the worst served rank misses. `any`: stops at the first rank that misses something.
Amount missing(const Wiring& w, const Shares& shares, Amount factor, bool any = false) {
  FlowGraph graph = sourced(w, shares, factor);
  const Amount all = factor * sum(shares);
  Amount most = 0;
  for (Rank r = 0; r < w.ranks() && !(any && most > 0); ++r)
    most = std::max(most, all - graph.max_flow(w.vertices(), r));
  return most;
}

/// All capacities times `time`, rounded down.
Wiring during(const Wiring& w, double time) {
  Wiring all = w;
  for (int u = 0; u < w.vertices(); ++u)
    for (int v = 0; v < w.vertices(); ++v)
      all(u, v) = static_cast<Amount>(std::floor(time * static_cast<double>(w(u, v)) * (1 + 1e-12)));
  return all;
}

Amount common_divisor(const Wiring& w, Amount with) {
  for (int u = 0; u < w.vertices(); ++u)
    for (int v = 0; v < w.vertices(); ++v) with = std::gcd(with, w(u, v));
  return with;
}

/// The least time in which `trees` trees per share fit, with a relative error of 1e-9.
double least_time(const Wiring& w, const Shares& shares, Amount trees, const Ratio& worst) {
  double low = static_cast<double>(trees) * worst.value();
  if (missing(during(w, low), shares, trees, true) == 0) return low;
  double high = 2 * low;
  while (missing(during(w, high), shares, trees, true) > 0) high *= 2;
  while (high - low > 1e-9 * high) {
    const double middle = (low + high) / 2;
    (missing(during(w, middle), shares, trees, true) > 0 ? low : high) = middle;
  }
  return high;
}

void go_on(const Stop& stop) {
  if (stop && stop()) throw Stopped{};
}

/// Takes switches out, edge by edge, while all ranks can still get all shares.
class Splitting {
 public:
  Splitting(Wiring& w, const Shares& shares, Amount trees, const Stop& stop)
      : w_(w), shares_(shares), trees_(trees), stop_(stop) {}

  void split_off(int through) {
    balance(through);
    const int n = w_.vertices();
    for (const bool routed : {true, false})
      for (int turn = 1; turn < n; ++turn) {
        std::vector<Move> moves;
        for (int from = 0; from < n; ++from) {
          const int to = (from + turn) % n;
          const Amount amount = std::min(w_(from, through), w_(through, to));
          if (amount > 0 && (!routed || !w_.turns || w_.turns(from, through, to)))
            moves.push_back({from, through, to, amount});
        }
        if (!moves.empty()) try_all(moves);
      }
    for (int v = 0; v < n; ++v) w_(v, through) = w_(through, v) = 0;
  }

 private:
  /// Capacity that comes in by one edge and goes out by another, to be led past the switch.
  struct Move {
    int from, through, to;
    Amount amount;
  };
  void move(const Move& m, Amount amount) {
    w_(m.from, m.through) -= amount;
    w_(m.through, m.to) -= amount;
    if (m.from != m.to) w_(m.from, m.to) += amount;
  }

  /// Makes all moves at once if nothing is missed then, else each half on its own. A unit that a single move
  /// takes past the switch is missed by a cut at most once, so as much as is missed is moved back.
  void try_all(std::span<const Move> moves) {
    go_on(stop_);
    for (const Move& m : moves) move(m, m.amount);
    const Amount lacking = missing(w_, shares_, trees_, moves.size() > 1);
    if (lacking == 0) return;
    if (moves.size() == 1) return move(moves[0], -std::min(moves[0].amount, lacking));
    for (const Move& m : moves) move(m, -m.amount);
    try_all(moves.first(moves.size() / 2));
    try_all(moves.subspan(moves.size() / 2));
  }

  /// Makes what comes into the switch equal to what goes out, as far as nothing is missed then.
  void balance(int through) {
    const int n = w_.vertices();
    for (int v = 0; v < n; ++v)
      for (Amount* edge : {&w_(v, through), &w_(through, v)}) {
        Amount in = 0, out = 0;
        for (int u = 0; u < n; ++u) in += w_(u, through), out += w_(through, u);
        const Amount surplus = std::min(*edge, edge == &w_(v, through) ? in - out : out - in);
        if (surplus <= 0) continue;
        *edge -= surplus;
        *edge += std::min(surplus, missing(w_, shares_, trees_));
      }
  }

  Wiring& w_;
  const Shares& shares_;
  Amount trees_;
  const Stop& stop_;
};

/// Equal trees that are still growing.
struct Growing {
  Tree tree;
  std::vector<Rank> reached;
  std::vector<char> has;
};

class Packing {
 public:
  Packing(Wiring w, const Shares& shares, Amount trees, const Stop& stop) : w_(std::move(w)), stop_(stop) {
    const auto n = static_cast<std::size_t>(w_.ranks());
    for (Rank r = w_.ranks() - 1; r >= 0; --r) {
      const Amount count = trees * shares[static_cast<std::size_t>(r)];
      if (count == 0) continue;
      growing_.push_back({{r, count, {}}, {r}, std::vector<char>(n)});
      growing_.back().has[static_cast<std::size_t>(r)] = 1;
      others_ += count;
    }
  }

  /// The finished trees; none if some tree cannot be finished.
  std::optional<std::vector<Tree>> trees() {
    std::vector<Tree> done;
    while (!growing_.empty()) {
      go_on(stop_);
      if (growing_.back().reached.size() == static_cast<std::size_t>(w_.ranks())) {
        others_ -= growing_.back().tree.count;
        done.push_back(std::move(growing_.back().tree));
        growing_.pop_back();
      } else if (!grow()) {
        return {};
      }
    }
    return done;
  }

 private:
  /// Adds one edge to as many of the last class of trees as there is room for; the others of the class stay
  /// as they are.
  bool grow() {
    const std::vector<Rank> reached = growing_.back().reached;
    for (const Rank from : reached)
      for (Rank turn = 1; turn < w_.ranks(); ++turn) {
        const Rank to = (from + turn) % w_.ranks();
        if (growing_.back().has[static_cast<std::size_t>(to)] || w_(from, to) == 0) continue;
        const Amount count = room(from, to);
        if (count <= 0) continue;
        Growing taller = growing_.back();
        if (count == taller.tree.count)
          growing_.pop_back();
        else
          growing_.back().tree.count -= count;
        taller.tree.count = count;
        taller.tree.edges.push_back({from, to});
        taller.reached.push_back(to);
        taller.has[static_cast<std::size_t>(to)] = 1;
        w_(from, to) -= count;
        growing_.push_back(std::move(taller));
        return true;
      }
    return false;
  }

  /// How many of the last trees may take an edge so that all others can still grow.
  Amount room(Rank from, Rank to) const {
    FlowGraph graph(w_.ranks());
    for (int u = 0; u < w_.ranks(); ++u)
      for (int v = 0; v < w_.ranks(); ++v)
        if (w_(u, v) > 0) graph.add_edge(u, v, w_(u, v));
    const Amount own = growing_.back().tree.count;
    for (std::size_t i = 0; i + 1 < growing_.size(); ++i) {
      const Growing& other = growing_[i];
      if (other.reached.size() == 1) {
        if (other.tree.root != from) graph.add_edge(from, other.tree.root, other.tree.count);
        continue;
      }
      const auto hub = graph.add_vertex();
      graph.add_edge(from, hub, other.tree.count);
      for (const Rank r : other.reached) graph.add_edge(hub, r, FlowGraph::unlimited);
    }
    return std::min({own, w_(from, to), graph.max_flow(from, to) - (others_ - own)});
  }

  Wiring w_;
  const Stop& stop_;
  std::vector<Growing> growing_;
  Amount others_ = 0;  ///< trees of all classes that are growing
};

std::optional<Packed> packed(const Wiring& wiring, const Shares& shares, Amount trees, double time,
                             const Stop& stop) {
  Wiring w = during(wiring, time);
  Splitting splitting(w, shares, trees, stop);
  for (int s = w.ranks(); s < w.vertices(); ++s) splitting.split_off(s);
  if (missing(w, shares, trees, true) > 0) return {};
  auto grown = Packing(std::move(w), shares, trees, stop).trees();
  if (!grown) return {};
  return Packed{{wiring.ranks(), trees, std::move(*grown)}, time};
}

/// The worst ratio of a cut around a single rank, from which Newton's method begins.
Ratio narrowest_rank(const Wiring& w, const Shares& shares) {
  const Amount all = sum(shares);
  Ratio worst{0, 1};
  for (Rank r = 0; r < w.ranks(); ++r) {
    const Amount wanted = all - shares[static_cast<std::size_t>(r)];
    if (wanted == 0) continue;
    Amount in = 0;
    for (int v = 0; v < w.vertices(); ++v) in += w(v, r);
    if (in == 0) throw InputError("no link leads to rank " + std::to_string(r));
    if (wanted * worst.capacity > worst.shares * in) worst = {wanted, in};
  }
  return worst;
}

/// The shares that the minimum cut of the last flow separates, and its capacity.
Ratio across(const Wiring& w, const Shares& shares, const FlowGraph& graph) {
  Ratio cut{0, 0};
  for (int u = 0; u < w.vertices(); ++u) {
    if (!graph.on_source_side(u)) continue;
    if (u < w.ranks()) cut.shares += shares[static_cast<std::size_t>(u)];
    for (int v = 0; v < w.vertices(); ++v)
      if (!graph.on_source_side(v)) cut.capacity += w(u, v);
  }
  return cut;
}

/// Parts that each have a rank, and the bandwidth out of all of them.
struct Parts {
  std::vector<std::vector<Rank>> parts;
  Amount capacity = 0;
  Ratio time() const { return {2 * (static_cast<Amount>(parts.size()) - 1), capacity}; }
};

/// Finds, of all divisions of the ranks into m parts, the one for which the bandwidth out of all parts less 2
/// m / time is least: it takes longer than `time` if any does. Parts grow rank by rank, each with the set
/// that is the narrowest around it, among the ranks so far, less what these have added; sets that meet become
/// one (Dilworth truncation, as bandwidth out of sets is submodular; Cunningham, J. ACM 32 (1985)).
class Parting {
 public:
  explicit Parting(const Wiring& w) : w_(w), added_(static_cast<std::size_t>(w.ranks())) {
    for (int u = 0; u < w.vertices(); ++u)
      for (int v = 0; v < w.vertices(); ++v)
        if (u != v && w(u, v) > 0) edges_.push_back({u, v, w(u, v)});
  }

  Parts single() const {
    Parts all;
    for (Rank r = 0; r < w_.ranks(); ++r) all.parts.push_back({r});
    for (const auto& [from, to, capacity] : edges_)
      if (from < w_.ranks()) all.capacity += capacity;
    return all;
  }

  Parts worst(const Ratio& time) {
    std::vector<std::vector<Rank>> parts;
    for (Rank r = 0; r < w_.ranks(); ++r) {
      std::vector<Rank> joined = add(r, time);
      std::erase_if(parts, [&](const std::vector<Rank>& part) {
        const bool meets =
            std::ranges::any_of(part, [&](Rank p) { return std::ranges::find(joined, p) != joined.end(); });
        if (meets)
          for (const Rank p : part)
            if (std::ranges::find(joined, p) == joined.end()) joined.push_back(p);
        return meets;
      });
      parts.push_back(std::move(joined));
    }
    Parts all{std::move(parts), 0};
    // What the ranks of m parts have added is the bandwidth times the time's numerator, less 2 m times its
    // denominator.
    const Amount sum = std::accumulate(added_.begin(), added_.end(), Amount{0});
    all.capacity = (sum + 2 * static_cast<Amount>(all.parts.size()) * time.capacity) / time.shares;
    return all;
  }

 private:
  struct Edge {
    int from, to;
    Amount capacity;
  };

  /// The narrowest set of ranks with `r` as the last; sets what `r` adds.
  std::vector<Rank> add(Rank r, const Ratio& time) {
    const int sink = w_.vertices();
    FlowGraph graph(w_.vertices() + 1);
    const auto at = [&](int v) { return v > r && v < w_.ranks() ? sink : v; };
    for (const auto& [from, to, capacity] : edges_)
      if (at(from) != at(to) && at(from) != sink) graph.add_edge(at(from), at(to), time.shares * capacity);
    Amount more = 0;
    for (Rank before = 0; before < r; ++before) {
      const Amount has = added_[static_cast<std::size_t>(before)];
      if (has > 0) graph.add_edge(r, before, has), more += has;
      if (has < 0) graph.add_edge(before, sink, -has);
    }
    added_[static_cast<std::size_t>(r)] = graph.max_flow(r, sink) - more - 2 * time.capacity;
    std::vector<Rank> all;
    for (Rank v = 0; v <= r; ++v)
      if (graph.on_source_side(v)) all.push_back(v);
    return all;
  }

  const Wiring& w_;
  std::vector<Edge> edges_;
  std::vector<Amount> added_;  ///< by rank
};

Ratio lowest_terms(const Ratio& r) {
  const Amount divisor = std::max<Amount>(1, std::gcd(r.shares, r.capacity));
  return {r.shares / divisor, r.capacity / divisor};
}

}  // namespace

/// Newton's method: a cut that is worse than the ratio so far gives the next ratio.
Ratio worst_cut(const Wiring& w, const std::vector<std::int64_t>& shares) {
  Ratio worst = narrowest_rank(w, shares);
  for (bool worse = worst.shares > 0; worse;) {
    worse = false;
    Wiring scaled = w;
    for (int u = 0; u < w.vertices(); ++u)
      for (int v = 0; v < w.vertices(); ++v) scaled(u, v) *= worst.shares;
    FlowGraph graph = sourced(scaled, shares, worst.capacity);
    Ratio next = worst;
    for (Rank r = 0; r < w.ranks(); ++r) {
      if (graph.max_flow(w.vertices(), r) >= sum(shares) * worst.capacity) continue;
      const Ratio cut = across(w, shares, graph);
      if (cut.capacity == 0)
        throw InputError("no link leads to rank " + std::to_string(r) + " from all others");
      if (cut.shares * next.capacity > next.shares * cut.capacity) next = cut, worse = true;
    }
    worst = next;
  }
  return lowest_terms(worst);
}

/// Newton's method: parts that take longer than the time so far give the next time.
Ratio worst_parts(const Wiring& w) {
  if (w.ranks() == 1) return {0, 1};
  Parting parting(w);
  Ratio worst = lowest_terms(parting.single().time());
  while (true) {
    if (worst.capacity == 0) throw InputError("no link leads from any rank to another");
    const Ratio next = lowest_terms(parting.worst(worst).time());
    if (next.shares * worst.capacity <= worst.shares * next.capacity) return worst;
    worst = next;
  }
}

Packed pack(const Wiring& wiring, const std::vector<std::int64_t>& shares, std::int64_t trees_per_share,
            std::int64_t most_trees, const Stop& stop) {
  const Ratio worst = worst_cut(wiring, shares);
  if (worst.shares == 0) return {{wiring.ranks(), 1, {{0, 1, {}}}}, 0};
  Amount trees = trees_per_share;
  double time = 0;
  if (trees == 0) {
    const Amount divisor = common_divisor(wiring, worst.capacity);
    trees = worst.capacity / divisor;
    time = static_cast<double>(worst.shares) / static_cast<double>(divisor);
    if (trees > most_trees) trees = 0;
  }
  constexpr double close_enough = 1.002;
  double best = HUGE_VAL;
  for (Amount k = 1; trees == 0 && k <= most_trees && best > close_enough; ++k) {
    const double t = least_time(wiring, shares, k, worst) / static_cast<double>(k);
    if (t < best * 0.999 * worst.value())
      best = t / worst.value(), time = t * static_cast<double>(k), trees_per_share = k;
  }
  if (trees == 0) trees = trees_per_share;
  if (time == 0) time = least_time(wiring, shares, trees, worst);
  // Where a switch takes in more than it passes on, splitting may lose some room.
  for (double slack = 1; slack < 4; slack *= slack < 1.02 ? 1.01 : 1.05)
    if (const auto found = packed(wiring, shares, trees, time * slack, stop)) return *found;
  throw NoTrees(SecondsPerByte(worst.value() / static_cast<double>(sum(shares)) / wiring.unit.value));
}

}  // namespace collcast
