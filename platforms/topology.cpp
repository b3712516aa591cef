// SPDX-License-Identifier: Apache-2.0
#include "platforms/topology.hpp"

#include <algorithm>

namespace collcast {
namespace {

using Network = Blueprint::Network;

std::variant<FatTree, Torus, Dragonfly> shape(const Blueprint& b, std::int64_t switches) {
  if (b.network == Network::torus) return Torus(b.dimensions);
  if (b.network == Network::dragonfly) return Dragonfly(b.groups.count, b.groups.switches, b.groups.cables);
  return FatTree(b.levels, switches, b.routing);
}

}  // namespace

Topology::Topology(const Blueprint& b, std::int64_t switches)
    : shape_(shape(b, switches)),
      ways_(std::visit([=](const auto& s) { return s.ways(switches); }, shape_)),
      // Half a torus has places that are further apart than any is from the first: a sample finds them.
      unlike_(b.network == Network::torus       ? 64
              : b.network == Network::dragonfly ? b.groups.switches
                                                : 1) {}

}  // namespace collcast
