// SPDX-License-Identifier: Apache-2.0
#include "platforms/machine/capabilities.hpp"

#include <algorithm>
#include <cmath>

#include "platforms/machine/machine.hpp"

namespace collcast {
namespace {

/// Sets a limit; one that the file leaves out stays ideal.
template <class T>
void put(T& where, const std::optional<Parameter>& p, double unit = 1) {
  if (p) where = T(p->value * unit);
}

/// Marks the parameters on which times depend as used; returns their weakest stamp.
Stamp note(std::initializer_list<std::pair<const std::optional<Parameter>&, bool>> parameters, Usage& usage) {
  Stamp weakest = Stamp::what_if;
  for (const auto& [p, matters] : parameters)
    if (p && matters) usage.mention(*p), weakest = std::max(weakest, p->stamp);
  return weakest;
}

MulticastLimits limits(const Blueprint::Multicast& b, Usage& usage) {
  MulticastLimits m;
  put(m.mtu, b.mtu);
  put(m.header, b.header);
  put(m.packet_overhead, b.packet_overhead, 1e-6);
  put(m.loss, b.loss);
  put(m.recovery, b.recovery, 1e-6);
  const bool lossy = m.loss > 0, slow = m.recovery > Seconds(0);
  const bool packets = m.header > Bytes(0) || m.packet_overhead > Seconds(0) || (lossy && slow);
  m.stamp = note(
      {{b.mtu, packets}, {b.header, true}, {b.packet_overhead, true}, {b.loss, slow}, {b.recovery, lossy}},
      usage);
  return m;
}

ReductionLimits limits(const Blueprint::InNetworkReduction& b, Usage& usage) {
  ReductionLimits r;
  put(r.message_limit, b.message_limit, 1024);
  put(r.outstanding, b.outstanding);
  put(r.switch_latency, b.switch_latency, 1e-6);
  put(r.bandwidth_share, b.bandwidth_share);
  r.stamp = note({{b.message_limit, b.outstanding.has_value()},
                  {b.outstanding, b.message_limit.has_value()},
                  {b.switch_latency, true},
                  {b.bandwidth_share, true}},
                 usage);
  return r;
}

Capabilities limits(const Blueprint::Capabilities& b, Usage& usage) {
  Capabilities c;
  if (b.multicast) c.multicast = limits(*b.multicast, usage);
  if (b.reduction) c.reduction = limits(*b.reduction, usage);
  return c;
}

}  // namespace

Switched through(const MulticastLimits& limits, Wire wire, Bytes bytes) {
  const double packets = std::max(1.0, std::ceil(bytes / limits.mtu));
  wire.eager = true;
  wire.gap += packets * limits.packet_overhead;
  wire.latency += packets * (limits.packet_overhead + limits.loss * limits.recovery);
  return {wire, bytes + packets * limits.header};
}

Switched through(const ReductionLimits& limits, Wire wire, Wire operation, Bytes bytes, int switches) {
  for (Wire* w : {&wire, &operation}) {
    w->latency += switches * limits.switch_latency;
    w->per_byte = (1 / limits.bandwidth_share) * w->per_byte;
    w->software = (1 / limits.bandwidth_share) * w->software;
  }
  wire.eager = true;
  const Bytes window = limits.window();
  const Seconds back = 2 * operation.latency + limits.message_limit * operation.per_byte;
  if (bytes > window && back > window * wire.per_byte)
    wire.latency += (std::ceil(bytes / window) - 1) * (back - window * wire.per_byte);
  return {wire, bytes};
}

void Machine::set_capabilities() {
  within_ = limits(blueprint_.within, usage_);
  between_ = limits(blueprint_.between, usage_);
  put(handoff_.start, blueprint_.offload_start, 1e-6);
  put(handoff_.all, blueprint_.offload_handoff, 1e-6);
  note({{blueprint_.offload_start, true}, {blueprint_.offload_handoff, true}}, usage_);
  if (blueprint_.network != Blueprint::Network::uniform) return;
  if (!between_.multicast) between_.multicast.emplace();
  if (!between_.reduction) between_.reduction.emplace();
}

Capabilities Machine::capabilities() const {
  return uniform_ || !extent_.ways.empty() ? between_ : within_;  // whether the ranks sit on several nodes
}

const Capabilities& Machine::node_capabilities() const {
  return uniform_ ? between_ : within_;
}

Switched Machine::switched(Switching what, Place from, Place to, Bytes bytes) const {
  const Wire plain = wire(from, to, bytes);
  const bool inside = !uniform_ && seat(from.rank).node == seat(to.rank).node;
  if (what == Switching::multicast) {
    const auto& limits = inside && within_.multicast ? within_.multicast : between_.multicast;
    return limits ? through(*limits, plain, bytes) : Switched{plain, bytes};
  }
  const auto& limits = inside && within_.reduction ? within_.reduction : between_.reduction;
  if (!limits) return {plain, bytes};
  const Wire operation = wire(from, to, std::min(bytes, limits->message_limit));
  return through(*limits, plain, operation, bytes, switches(from, to));
}

int Machine::switches(Place from, Place to) const {
  if (uniform_ || seat(from.rank).node == seat(to.rank).node) return 1;
  const Seat &a = seat(from.rank), &b = seat(to.rank);
  return extent_
      .ways[static_cast<std::size_t>(topology_->way(leaf(a, vertex(from, a)), leaf(b, vertex(to, b))))]
      .switches;
}

int Machine::dpu_cores() const {
  constexpr double most = 1 << 16;  // more than any device has, and few enough to count
  int cores = 0;
  for (int v : blueprint_.of_kind(Blueprint::Vertex::Kind::dpu)) {
    const int device = blueprint_.vertices[static_cast<std::size_t>(v)].device;
    const auto& own = blueprint_.devices[static_cast<std::size_t>(device)].cores;
    cores += own ? static_cast<int>(std::clamp(own->value, 1.0, most)) : 1;
  }
  return cores;
}

}  // namespace collcast
