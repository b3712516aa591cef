// SPDX-License-Identifier: Apache-2.0
#include "forecast/synthesis/wiring.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "forecast/synthesis/packing.hpp"

namespace collcast {
namespace {

using Amount = std::int64_t;

/// Sets that grow together, each known by one of its members.
class Sets {
 public:
  int add() {
    parent_.push_back(static_cast<int>(parent_.size()));
    return parent_.back();
  }
  int find(int a) {
    while (parent_[static_cast<std::size_t>(a)] != a) a = parent_[static_cast<std::size_t>(a)];
    return a;
  }
  /// Joins the sets of `a` and `b`; the smaller name stays.
  void unite(int a, int b) {
    a = find(a), b = find(b);
    parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int> parent_;
};

/// A wiring that is still being drawn: ranks are vertices 0, 1, ...
class Drawing {
 public:
  /// `one_way`: ranks that only receive from a switch do not send to it. Splitting needs both directions.
  Drawing(const Fabric& fabric, const std::function<bool(Rank, Rank)>& pairs, bool one_way)
      : ranks_(fabric.ranks()), links_(fabric.links()) {
    for (Rank r = 0; r < ranks_; ++r) sets_.add();
    std::vector<LinkId> route;
    for (Rank from = 0; from < ranks_; ++from)
      for (Rank to = 0; to < ranks_; ++to) {
        if (from == to || !pairs(from, to)) continue;
        route.clear();
        fabric.route(from, to, route);
        if (!route.empty()) add(from, route, to);
      }
    settle_ranks(one_way);
    for (const auto& [link, ends] : ends_) edge(ends.tail, ends.head) += links_[link].bandwidth.value;
    shorten();
  }

  Wiring wiring() {
    number();
    Wiring w(ranks_, static_cast<int>(number_.size()) - ranks_);
    const double unit = this->unit();
    w.unit = BytesPerSecond(unit);
    for (const auto& [ends, bandwidth] : edges_)
      if (bandwidth > 0 && ends.first != ends.second)
        w(number_.at(ends.first), number_.at(ends.second)) +=
            static_cast<Amount>(std::llround(bandwidth / unit));
    w.turns = turns(w.vertices());
    w.shared = shared_;
    return w;
  }

  /// Merges switches that a link of at least so many bytes per second joins.
  void merge(double least) {
    Sets merged = sets_;
    for (const auto& [ends, bandwidth] : edges_)
      if (ends.first >= ranks_ && ends.second >= ranks_ && bandwidth >= least)
        merged.unite(ends.first, ends.second);
    std::map<std::pair<int, int>, double> edges;
    for (const auto& [ends, bandwidth] : edges_) {
      const std::pair renamed(merged.find(ends.first), merged.find(ends.second));
      if (renamed.first != renamed.second) edges[renamed] += bandwidth;
    }
    edges_ = std::move(edges);
    sets_ = std::move(merged);
  }

  /// The bandwidths of links between switches.
  std::set<double> inner_bandwidths() const {
    std::set<double> all;
    for (const auto& [ends, bandwidth] : edges_)
      if (ends.first >= ranks_ && ends.second >= ranks_) all.insert(bandwidth);
    return all;
  }

 private:
  struct Ends {
    int tail, head;
  };
  double& edge(int from, int to) { return edges_[{sets_.find(from), sets_.find(to)}]; }

  Ends ends(LinkId link) {
    const auto [at, added] = ends_.try_emplace(link);
    if (added) at->second = {sets_.add(), sets_.add()};
    return at->second;
  }

  void add(Rank from, const std::vector<LinkId>& route, Rank to) {
    std::vector<int> way = {from};
    for (std::size_t i = 0; i < route.size(); ++i) {
      const Ends e = ends(route[i]);
      if (i > 0) sets_.unite(way.back(), e.tail);
      way.insert(way.end(), {e.tail, e.head});
    }
    way.push_back(to);
    begins_.emplace(way[1], from), ends_at_.emplace(way[way.size() - 2], to);
    ways_.push_back(std::move(way));
  }

  /// A vertex at which only one rank's ways begin or end is that rank. If several ranks' ways do, it is a
  /// switch with links from the ranks whose ways begin there, and to those whose ways end there.
  void settle_ranks(bool one_way) {
    std::map<int, std::set<Rank>> at;
    for (const auto* touching : {&begins_, &ends_at_})
      for (const auto& [vertex, rank] : *touching) at[sets_.find(vertex)].insert(rank);
    double all = 0;
    for (const auto& [link, ends] : ends_) all += links_[link].bandwidth.value;
    std::set<int> shared;
    for (const auto& [vertex, ranks] : at)
      if (ranks.size() == 1)
        sets_.unite(*ranks.begin(), vertex);
      else
        shared.insert(vertex);
    shared_ = !shared.empty();
    for (const bool begins : {true, false})
      for (const auto& [vertex, rank] : begins ? begins_ : ends_at_) {
        const int v = sets_.find(vertex);
        if (!shared.contains(v)) continue;
        if (begins || !one_way) edge(rank, v) = all;
        if (!begins || !one_way) edge(v, rank) = all;
      }
  }

  /// Removes switches with two neighbours.
  void shorten() {
    for (bool shorter = true; shorter;) {
      shorter = false;
      std::map<int, std::set<int>> neighbours;
      for (const auto& [ends, bandwidth] : edges_)
        if (ends.first != ends.second)
          neighbours[ends.first].insert(ends.second), neighbours[ends.second].insert(ends.first);
      for (const auto& [vertex, beside] : neighbours) {
        if (vertex < ranks_ || beside.size() > 2) continue;
        const int a = *beside.begin(), b = *beside.rbegin();
        for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
          const double through = std::min(take(from, vertex), take(vertex, to));
          if (from != to && through > 0) edges_[{from, to}] += through;
        }
        shorter = true;
        break;
      }
    }
  }
  double take(int from, int to) {
    const auto at = edges_.find({from, to});
    if (at == edges_.end()) return 0;
    const double bandwidth = at->second;
    edges_.erase(at);
    return bandwidth;
  }

  void number() {
    number_.clear();
    for (Rank r = 0; r < ranks_; ++r) number_.emplace(r, r);
    for (const auto& [ends, bandwidth] : edges_)
      for (const int v : {ends.first, ends.second}) number_.try_emplace(v, static_cast<int>(number_.size()));
  }

  /// The largest power of ten, at most a megabyte per second, of which all bandwidths are multiples.
  double unit() const {
    for (double unit = 1e6; unit > 1; unit /= 10)
      if (std::ranges::all_of(edges_, [&](const auto& e) {
            return std::abs(e.second / unit - std::round(e.second / unit)) < 1e-9 * e.second / unit;
          }))
        return unit;
    return 1;
  }

  std::function<bool(int, int, int)> turns(int vertices) {
    const auto key = [vertices](int a, int b, int c) {
      return (static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(vertices) +
              static_cast<std::uint64_t>(b)) *
                 static_cast<std::uint64_t>(vertices) +
             static_cast<std::uint64_t>(c);
    };
    auto known = std::make_shared<std::unordered_set<std::uint64_t>>();
    for (const std::vector<int>& way : ways_) {
      std::vector<int> met;
      for (const int v : way)
        if (const auto at = number_.find(sets_.find(v));
            at != number_.end() && (met.empty() || met.back() != at->second))
          met.push_back(at->second);
      for (std::size_t a = 0; a < met.size(); ++a)
        for (std::size_t b = a + 1; b < met.size(); ++b)
          for (std::size_t c = b + 1; c < met.size(); ++c) known->insert(key(met[a], met[b], met[c]));
    }
    return [known, key](int a, int b, int c) { return known->contains(key(a, b, c)); };
  }

  Rank ranks_;
  const std::vector<Link>& links_;
  Sets sets_;
  std::unordered_map<LinkId, Ends> ends_;
  std::vector<std::vector<int>> ways_;
  std::set<std::pair<int, Rank>> begins_, ends_at_;  ///< the first and the last vertex of a way, and its rank
  std::map<std::pair<int, int>, double> edges_;
  std::unordered_map<int, int> number_;
  bool shared_ = false;
};

}  // namespace

Wiring wiring(const Fabric& fabric, const std::function<bool(Rank, Rank)>& pairs,
              const std::vector<std::int64_t>& shares, bool joined) {
  Drawing drawing(fabric, pairs, false);
  Wiring exact = drawing.wiring();
  if (!joined) return exact;
  const double worst = worst_cut(exact, shares).value() / exact.unit.value;
  for (const double least : drawing.inner_bandwidths()) {
    Drawing merged = drawing;
    merged.merge(least);
    Wiring simpler = merged.wiring();
    if (worst_cut(simpler, shares).value() / simpler.unit.value >= worst * (1 - 1e-9)) return simpler;
  }
  return exact;
}

Wiring one_way_wiring(const Fabric& fabric, const std::function<bool(Rank, Rank)>& pairs) {
  return Drawing(fabric, pairs, true).wiring();
}

}  // namespace collcast
