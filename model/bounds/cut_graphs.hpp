// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "model/bounds/cuts.hpp"

namespace collcast {

/// The links that messages of a fabric take from place to place, between these memories of all ranks.
struct Routes {
  Routes(const Fabric& fabric, std::vector<Memory> between);
  /// Whether another fabric has the same routes.
  bool hold_for(const Fabric& fabric, const std::vector<Memory>& between) const;

  Rank ranks;
  std::vector<Memory> memories;
  std::vector<std::size_t> ends;  ///< by pair of places: where its links end
  std::vector<LinkId> links;
};

/// The graphs in which cuts of a fabric are looked for; each is made once. They hold for every fabric with
/// the same routes, whatever the bandwidths of its links. Only one thread may use them at a time.
class CutGraphs {
 public:
  explicit CutGraphs(std::vector<Memory> memories) : memories_(std::move(memories)) {}

  /// The narrowest cut that cut_around() finds.
  Cut around(const Fabric& fabric, const std::vector<char>& inside, bool into, std::span<const Rank> others,
             std::optional<std::size_t> near = {});
  /// The graph of the routes among all ranks.
  RouteGraph& all(const Fabric& fabric, bool reversed);

 private:
  std::vector<Memory> memories_;
  std::map<std::pair<std::vector<char>, bool>, NarrowestCut> groups_;
  std::array<std::optional<RouteGraph>, 2> all_;  ///< along the routes, and against them
};

/// The graphs of the machines that were looked at last. Machines with the same routes share them.
class SharedCutGraphs {
 public:
  /// Users of `graphs` hold `in_use`.
  struct Shared {
    Shared(const Fabric& fabric, const std::vector<Memory>& memories)
        : routes(fabric, memories), graphs(memories) {}
    Routes routes;
    CutGraphs graphs;
    std::mutex in_use;
  };
  std::shared_ptr<Shared> of(const Fabric& fabric, const std::vector<Memory>& memories);

 private:
  static constexpr std::size_t most = 8;
  std::mutex mutex_;
  std::list<std::shared_ptr<Shared>> last_;
};

}  // namespace collcast
