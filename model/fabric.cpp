// SPDX-License-Identifier: Apache-2.0
#include "model/fabric.hpp"

namespace collcast {
namespace {

/// Link i is port i: first the links out of the ranks, then those into them.
std::vector<Link> port_links(Rank ranks, SecondsPerByte per_byte) {
  std::vector<Link> links;
  for (const char* way : {" out", " in"})
    for (Rank r = 0; r < ranks; ++r) links.push_back({"rank " + std::to_string(r) + way, 1.0 / per_byte});
  return links;
}

}  // namespace

UniformFabric::UniformFabric(const AlphaBetaGamma& machine, Rank ranks)
    : ranks_(ranks), network_(machine, ranks), links_(port_links(ranks, machine.beta)) {}

UniformFabric::UniformFabric(const LogGP& machine, Rank ranks)
    : ranks_(ranks), network_(machine, ranks), links_(port_links(ranks, machine.G)) {}

void UniformFabric::route(Place from, Place to, std::vector<LinkId>& links) const {
  if (from.rank == to.rank) return;
  links.push_back(static_cast<LinkId>(from.rank));
  links.push_back(static_cast<LinkId>(to.rank + ranks_));
}

}  // namespace collcast
