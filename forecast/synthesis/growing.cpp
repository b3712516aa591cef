// SPDX-License-Identifier: Apache-2.0
#include "forecast/synthesis/growing.hpp"

#include <algorithm>
#include <cmath>

namespace collcast {
namespace {

constexpr int most_regrown = 40;
constexpr double grown_enough = 1.002;
constexpr double new_pair = 3;   ///< factor of the cost of an edge that no tree has so far
constexpr double deeper = 0.02;  ///< share by which an edge costs more with each level

class Regrowth {
 public:
  Regrowth(const EdgeUses& uses, const Forest& like, const std::vector<Rank>& roots, std::int64_t trees)
      : uses_(uses),
        part_(1 / static_cast<double>(roots.size()) / static_cast<double>(trees)),
        busy_(uses.resources()),
        price_(uses.resources(), 1),
        takers_(uses.resources()),
        cost_(uses.at(uses.ranks(), 0)),
        sent_(cost_.size()) {
    for (Rank from = 0; from < uses.ranks(); ++from)
      for (Rank to = 0; to < uses.ranks(); ++to)
        for (const auto& [resource, time] : uses(from, to)) {
          takers_[resource].push_back({uses.at(from, to), time});
          cost_[uses.at(from, to)] += time;
        }
    for (const Tree& tree : like.trees)
      for (const auto& [from, to] : tree.edges) ++sent_[uses.at(from, to)];
    for (std::int64_t i = 0; i < trees; ++i)
      for (const Rank root : roots) grow(trees_.emplace_back(Tree{root, 1, {}}));
  }

  void regrow(double steepness) {
    steepness_ = steepness, top_ = time();
    for (std::size_t r = 0; r < busy_.size(); ++r) reprice(r);
    for (Tree& tree : trees_) {
      for (const Tree::Edge& e : tree.edges) put(e, -1);
      tree.edges.clear();
      grow(tree);
    }
  }

  const std::vector<Tree>& trees() const { return trees_; }
  double time() const { return *std::ranges::max_element(busy_); }

 private:
  struct Taker {
    std::size_t edge;
    double time;
  };

  /// Prim's algorithm, with costs that change as the tree grows.
  void grow(Tree& tree) {
    std::vector<Rank> reached{tree.root}, missing;
    for (Rank turn = 1; turn < uses_.ranks(); ++turn) missing.push_back((tree.root + turn) % uses_.ranks());
    std::vector<double> far(static_cast<std::size_t>(uses_.ranks()), 1);
    while (!missing.empty()) {
      double least = HUGE_VAL;
      Tree::Edge next{};
      for (const Rank from : reached)
        for (const Rank to : missing) {
          const std::size_t edge = uses_.at(from, to);
          const double cost =
              cost_[edge] * far[static_cast<std::size_t>(from)] * (sent_[edge] > 0 ? 1 : new_pair);
          if (cost < least * (1 - 1e-9)) least = cost, next = {from, to};
        }
      tree.edges.push_back(next);
      put(next, 1);
      reached.push_back(next.to);
      std::erase(missing, next.to);
      far[static_cast<std::size_t>(next.to)] = far[static_cast<std::size_t>(next.from)] + deeper;
    }
  }

  void put(const Tree::Edge& e, int trees) {
    sent_[uses_.at(e.from, e.to)] += trees;
    for (const auto& [resource, time] : uses_(e.from, e.to)) {
      busy_[resource] += trees * part_ * time;
      if (top_ > 0) reprice(resource);
    }
  }

  void reprice(std::size_t resource) {
    const double price = std::exp(steepness_ * (busy_[resource] / top_ - 1));
    for (const auto& [edge, time] : takers_[resource]) cost_[edge] += time * (price - price_[resource]);
    price_[resource] = price;
  }

  const EdgeUses& uses_;
  double part_;  ///< share of the message that a tree carries
  double steepness_ = 0, top_ = 0;
  std::vector<Tree> trees_;
  std::vector<double> busy_, price_;        ///< by resource
  std::vector<std::vector<Taker>> takers_;  ///< by resource: the edges that use it
  std::vector<double> cost_;                ///< by edge
  std::vector<int> sent_;                   ///< by edge: how many trees have it
};

}  // namespace

Forest grow(const EdgeUses& uses, const Forest& like, const std::vector<Rank>& roots,
            std::int64_t trees_per_root, SecondsPerByte enough, const Stop& stop) {
  Regrowth growing(uses, like, roots, trees_per_root);
  Forest best{uses.ranks(), trees_per_root, growing.trees()};
  double least = growing.time();
  for (int i = 0; i < most_regrown && least > grown_enough * enough.value && !(stop && stop()); ++i) {
    growing.regrow(5 * std::pow(1.08, i));
    if (growing.time() < least * (1 - 1e-9)) best.trees = growing.trees(), least = growing.time();
  }
  return best;
}

Busy busiest(const EdgeUses& uses, const Forest& forest, std::size_t roots) {
  const double parts = static_cast<double>(roots) * static_cast<double>(forest.trees_per_root);
  std::vector<double> busy(uses.resources());
  for (const Tree& tree : forest.trees)
    for (const auto& [from, to] : tree.edges)
      for (const auto& [resource, time] : uses(from, to))
        busy[resource] += static_cast<double>(tree.count) / parts * time;
  return busiest(busy);
}

}  // namespace collcast
