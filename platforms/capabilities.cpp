// SPDX-License-Identifier: Apache-2.0
#include "platforms/capabilities.hpp"

#include "platforms/machine.hpp"

namespace collcast {
namespace {

/// What the file leaves out stays at its ideal.
template <class T>
void put(T& where, const std::optional<Parameter>& p, double unit = 1) {
  if (p) where = T(p->value * unit);
}

MulticastLimits of(const Blueprint::Multicast& b) {
  MulticastLimits m;
  put(m.mtu, b.mtu);
  put(m.groups, b.groups);
  put(m.packet_overhead, b.packet_overhead, 1e-6);
  put(m.loss, b.loss);
  put(m.recovery, b.recovery, 1e-6);
  return m;
}

ReductionLimits of(const Blueprint::InNetworkReduction& b) {
  ReductionLimits r;
  put(r.message_limit, b.message_limit, 1024);
  put(r.switch_latency, b.switch_latency, 1e-6);
  put(r.bandwidth_share, b.bandwidth_share);
  return r;
}

Capabilities of(const Blueprint::Capabilities& b) {
  Capabilities c;
  if (b.multicast) c.multicast = of(*b.multicast);
  if (b.reduction) c.reduction = of(*b.reduction);
  return c;
}

}  // namespace

Capabilities Machine::capabilities() const {
  if (uniform_) return {MulticastLimits(), ReductionLimits()};
  Capabilities c = of(blueprint_.between);
  if (!extent_.ways.empty()) return c;
  const Capabilities node = node_capabilities();
  if (node.multicast) c.multicast = node.multicast;
  if (node.reduction) c.reduction = node.reduction;
  return c;
}

Capabilities Machine::node_capabilities() const {
  if (uniform_) return {MulticastLimits(), ReductionLimits()};
  return of(blueprint_.within);
}

int Machine::dpu_cores() const {
  int cores = 0;
  for (int v : blueprint_.of_kind(Blueprint::Vertex::Kind::dpu)) {
    const int device = blueprint_.vertices[static_cast<std::size_t>(v)].device;
    const auto& own = blueprint_.devices[static_cast<std::size_t>(device)].cores;
    cores += own ? static_cast<int>(own->value) : 1;
  }
  return cores;
}

}  // namespace collcast
