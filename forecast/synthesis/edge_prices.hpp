// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "forecast/synthesis/packing.hpp"
#include "model/fabric.hpp"

namespace collcast {

/// Whether a rank has a share of its own for another one: always in an alltoall, from the root in a scatter,
/// for the root in a gather.
struct Addressed {
  Collective collective = Collective::alltoall;
  Rank root = 0;
  bool operator()(Rank from, Rank to) const {
    if (collective == Collective::scatter && from != root) return false;
    if (collective == Collective::gather && to != root) return false;
    return from != to;
  }
};

/// How long a byte that goes from rank to rank keeps its resources busy: the links of its route, and the
/// ports that it queues at.
class EdgeUses {
 public:
  struct Use {
    std::uint32_t resource;  ///< links, then ports
    double time;             ///< [s/B] that a byte keeps it busy, the least over all message sizes
  };

  /// An edge from parent to child is used as the collective's messages use it: copies go down, sums go up, an
  /// allreduce does both.
  EdgeUses(const Fabric& fabric, Collective collective);

  Rank ranks() const { return ranks_; }
  std::size_t resources() const { return resources_; }
  std::string name(std::size_t resource) const {
    return resource < links_ ? fabric_->link_name(static_cast<LinkId>(resource))
                             : fabric_->port_name(static_cast<Port>(resource - links_));
  }
  std::span<const Use> operator()(Rank from, Rank to) const { return uses_[at(from, to)]; }
  std::size_t at(Rank from, Rank to) const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks_) + static_cast<std::size_t>(to);
  }

 private:
  const Fabric* fabric_;
  Rank ranks_;
  std::size_t links_, resources_;
  std::vector<std::vector<Use>> uses_;
};

/// The busiest resource, and how long a byte keeps it busy.
struct Busy {
  SecondsPerByte time;
  std::size_t resource = 0;
};
/// `busy`: by resource [s/B].
Busy busiest(const std::vector<double>& busy);

/// The parent of each rank in the cheapest tree from the root to all ranks, where the edge from i to j costs
/// `cost[i * ranks + j]`. Chu and Liu, Sci. Sin. 14 (1965); Edmonds, J. Res. NBS 71B (1967): every rank takes
/// the cheapest edge into it. Ranks on a circle become one vertex; an edge into it costs what it costs more
/// than the edge that it replaces.
std::vector<std::size_t> cheapest_tree(std::size_t ranks, std::size_t root, const std::vector<double>& cost);

/// A time that no schedule is below, per byte of a message that `roots` have in equal shares and all ranks
/// need. However a byte goes to all ranks, its messages contain a tree from its root. So for any prices of
/// the resources, the cheapest trees cost at most as much as all resources do for the whole time: time >= sum
/// of the shares' cheapest trees / sum of the prices. Prices first grow with how busy the trees that were the
/// cheapest so far make the resources (Garg and Koenemann, FOCS 1998), then follow the bound's gradient
/// uphill.
SecondsPerByte least_by_prices(const EdgeUses& uses, const std::vector<Rank>& roots, const Stop& stop = {});

/// The same bound for a byte from each rank to each rank that it has a share for: on any way, the byte costs
/// at least what the cheapest way does. `busy`: how long the best known ways keep each resource busy [s/B].
double least_by_cheapest_routes(const EdgeUses& uses, const Addressed& addressed,
                                const std::vector<double>& busy, const Stop& stop = {});

}  // namespace collcast
