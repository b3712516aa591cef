// SPDX-License-Identifier: Apache-2.0
#include "model/bounds/reduced_graph.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace collcast {
namespace {

using Edge = ReducedGraph::Edge;
using Vertex = ReducedGraph::Vertex;

bool is_end(Vertex v) {
  return v == ReducedGraph::source || v == ReducedGraph::sink;
}

/// Reduces a graph in rounds, until a round changes nothing.
class Reducing {
 public:
  Reducing(Vertex vertices, std::vector<Edge>& edges)
      : edges_(edges), same_as_(static_cast<std::size_t>(vertices)) {
    std::iota(same_as_.begin(), same_as_.end(), 0);
  }

  /// `pair(first, second, in_series)` returns the number of the edge that replaces two.
  template <class Pair>
  void reduce(Pair pair) {
    for (bool changed = true; changed;) {
      tidy();
      changed = add_parallel(pair);
      count();
      changed = drop_dead_ends() || changed;
      changed = merge(&Edge::to, in_) || changed;
      changed = merge(&Edge::from, out_) || changed;
      changed = join_series(pair) || changed;
    }
  }

 private:
  static std::size_t at(Vertex v) { return static_cast<std::size_t>(v); }
  Vertex now(Vertex v) {
    while (same_as_[at(v)] != v) v = same_as_[at(v)] = same_as_[at(same_as_[at(v)])];
    return v;
  }

  /// Removes edges into the source, out of the sink, and to nowhere.
  void tidy() {
    for (Edge& e : edges_) e.from = now(e.from), e.to = now(e.to);
    std::erase_if(edges_, [](const Edge& e) {
      return e.from == e.to || e.to == ReducedGraph::source || e.from == ReducedGraph::sink;
    });
  }

  /// Merges parallel edges. Beside an edge without a limit other edges change nothing.
  template <class Pair>
  bool add_parallel(Pair pair) {
    const auto key = [](const Edge& e) { return std::tuple(e.from, e.to, e.number); };
    std::ranges::sort(edges_, {}, key);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      Edge* last = kept > 0 ? &edges_[kept - 1] : nullptr;
      if (!last || last->from != edges_[i].from || last->to != edges_[i].to)
        edges_[kept++] = edges_[i];
      else if (last->number != ReducedGraph::no_limit)
        last->number = pair(last->number, edges_[i].number, false);
    }
    const bool changed = kept < edges_.size();
    edges_.resize(kept);
    return changed;
  }

  void count() {
    in_.assign(same_as_.size(), 0), out_.assign(same_as_.size(), 0);
    for (const Edge& e : edges_) ++in_[at(e.to)], ++out_[at(e.from)];
  }

  bool drop_dead_ends() {
    const auto dead = [&](const Edge& e) {
      return (in_[at(e.from)] == 0 && e.from != ReducedGraph::source) ||
             (out_[at(e.to)] == 0 && e.to != ReducedGraph::sink);
    };
    if (std::erase_if(edges_, dead) == 0) return false;
    count();
    return true;
  }

  /// Merges two vertices if an edge without a limit is the only way into the second or out of the first: to
  /// the minimum cut nearest to the source they are one.
  bool merge(Vertex Edge::*gone, const std::vector<int>& degrees) {
    const auto kept = gone == &Edge::to ? &Edge::from : &Edge::to;
    bool changed = false;
    for (const Edge& e : edges_) {
      if (e.number != ReducedGraph::no_limit || is_end(e.*gone) || degrees[at(e.*gone)] != 1) continue;
      const Vertex into = now(e.*kept);
      if (into == e.*gone) continue;  // a cycle without the source
      same_as_[at(e.*gone)] = into;
      changed = true;
    }
    if (!changed) return false;
    tidy();
    count();
    return true;
  }

  template <class Pair>
  bool join_series(Pair pair) {
    std::vector<Edge*> enters(same_as_.size()), leaves(same_as_.size());
    for (Edge& e : edges_) enters[at(e.to)] = &e, leaves[at(e.from)] = &e;
    std::vector<char> used(edges_.size());
    const auto use = [&](const Edge* e) -> char& {
      return used[static_cast<std::size_t>(e - edges_.data())];
    };
    bool changed = false;
    for (std::size_t v = 0; v < same_as_.size(); ++v) {
      if (is_end(static_cast<Vertex>(v)) || in_[v] != 1 || out_[v] != 1) continue;
      Edge &first = *enters[v], &second = *leaves[v];
      if (first.number == ReducedGraph::no_limit || second.number == ReducedGraph::no_limit || use(&first) ||
          use(&second))
        continue;
      use(&first) = use(&second) = 1;
      first = {first.from, second.to, pair(first.number, second.number, true)};
      second.from = second.to;  // the next round removes it
      changed = true;
    }
    return changed;
  }

  std::vector<Edge>& edges_;
  std::vector<Vertex> same_as_;
  std::vector<int> in_, out_;
};

}  // namespace

ReducedGraph::ReducedGraph(Vertex vertices, int limited, std::vector<Edge> edges)
    : left_(std::move(edges)), limited_(limited) {
  Reducing(vertices, left_).reduce([this](int first, int second, bool in_series) {
    pairs_.push_back({first, second, in_series});
    return limited_ + static_cast<int>(pairs_.size()) - 1;
  });
  if (left_.size() < 2) return;
  std::map<Vertex, Vertex> renamed = {{source, source}, {sink, sink}};
  for (Edge& e : left_)
    for (Vertex* v : {&e.from, &e.to})
      *v = renamed.try_emplace(*v, static_cast<Vertex>(renamed.size())).first->second;
  flows_.emplace(static_cast<Vertex>(renamed.size()));
  for (const Edge& e : left_) flows_->add_edge(e.from, e.to, FlowGraph::unlimited);
}

std::vector<int> ReducedGraph::min_cut(std::span<const FlowGraph::Amount> capacities) {
  const auto value = [this](int number) -> FlowGraph::Amount& {
    return values_[static_cast<std::size_t>(number)];
  };
  values_.assign(capacities.begin(), capacities.end());
  for (const Pair& p : pairs_)
    values_.push_back(p.in_series ? std::min(value(p.first), value(p.second))
                                  : value(p.first) + value(p.second));
  std::vector<int> open, cut;
  if (!flows_) {
    for (const Edge& e : left_) open.push_back(e.number);
  } else {
    for (std::size_t i = 0; i < left_.size(); ++i)
      if (left_[i].number != no_limit)
        flows_->set_capacity(static_cast<FlowGraph::Edge>(i), value(left_[i].number));
    flows_->max_flow(source, sink);
    for (const Edge& e : left_)
      if (flows_->on_source_side(e.from) && !flows_->on_source_side(e.to)) open.push_back(e.number);
  }
  while (!open.empty()) {
    const int number = open.back();
    open.pop_back();
    if (number < limited_) {
      cut.push_back(number);
      continue;
    }
    const Pair& p = pairs_[static_cast<std::size_t>(number - limited_)];
    if (!p.in_series || value(p.first) <= value(p.second)) open.push_back(p.first);
    if (!p.in_series || value(p.first) > value(p.second)) open.push_back(p.second);
  }
  return cut;
}

}  // namespace collcast
