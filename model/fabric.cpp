// SPDX-License-Identifier: Apache-2.0
#include "model/fabric.hpp"

namespace collcast {
namespace {

std::vector<Link> port_links(Rank ranks, SecondsPerByte per_byte) {
  return std::vector<Link>(2 * static_cast<std::size_t>(ranks), {1.0 / per_byte});
}

}  // namespace

UniformFabric::UniformFabric(const AlphaBetaGamma& machine, Rank ranks)
    : ranks_(ranks), network_(machine, ranks), links_(port_links(ranks, machine.beta)) {}

UniformFabric::UniformFabric(const LogGP& machine, Rank ranks)
    : ranks_(ranks), network_(machine, ranks), links_(port_links(ranks, machine.G)) {}

std::string UniformFabric::port_name(Port port) const {
  const auto ranks = static_cast<Port>(ranks_);
  return "rank " + std::to_string(port % ranks) + (port < ranks ? " out" : " in");
}

void UniformFabric::route(Place from, Place to, std::vector<LinkId>& links) const {
  if (from.rank == to.rank) return;
  links.push_back(static_cast<LinkId>(from.rank));
  links.push_back(static_cast<LinkId>(to.rank + ranks_));
}

}  // namespace collcast
