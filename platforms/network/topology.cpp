// SPDX-License-Identifier: Apache-2.0
#include "platforms/network/topology.hpp"

#include <algorithm>

namespace collcast {
namespace {

using Network = Blueprint::Network;

std::variant<FatTree, Torus, Dragonfly, AdaptiveDragonfly> shape(const Blueprint& b, std::int64_t switches) {
  if (b.network == Network::torus) return Torus(b.dimensions, switches, b.routing);
  if (b.network == Network::dragonfly && b.routing.adaptive) return AdaptiveDragonfly(b.groups);
  if (b.network == Network::dragonfly) return Dragonfly(b.groups, b.routing);
  return FatTree(b.levels, switches, b.routing);
}

}  // namespace

Topology::Topology(const Blueprint& b, std::int64_t switches)
    : shape_(shape(b, switches)),
      switches_(switches),
      ways_(std::visit([=](const auto& s) { return s.ways(switches); }, shape_)),
      // In a torus that is partly in use, and among routes that are hashed, some are longer than any from the
      // first switch: a sample of switches finds them.
      representative_switches_(b.network == Network::torus ? 64
                               : b.network == Network::dragonfly
                                   ? std::max(b.groups.switches, b.routing.hashed ? 64 : 1)
                                   : 1) {}

std::vector<Halves> Topology::halves(LinkId base) const {
  const Torus* const torus = std::get_if<Torus>(&shape_);
  return torus ? torus->halves(switches_, base) : std::vector<Halves>();
}

}  // namespace collcast
