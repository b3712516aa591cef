// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "model/layout.hpp"
#include "model/network.hpp"
#include "model/repeats.hpp"

namespace collcast {

/// The fixed costs of a message, including the handshake of a rendezvous.
inline Seconds alpha(const Wire& w) {
  return w.overhead + (w.eager ? Seconds() : w.handshake) + w.latency + w.receive_overhead;
}

/// The largest alpha, beta and gamma among a schedule's messages, of which the first four million are read.
template <AnyNetwork Network>
AlphaBetaGamma slowest_path(const Network& network, const Schedule& schedule, const Layout& layout);

/// Machines, each for messages from its size up to that of the next one.
using MachinesBySize = std::vector<std::pair<Bytes, AlphaBetaGamma>>;
/// The slowest path at each size at which the network's wires change, as if all messages had that size.
template <AnyNetwork Network>
MachinesBySize slowest_paths(const Network& network, const Schedule& schedule);

namespace detail {

/// `size_of(step, message)` says how large a Transfer, Multicast or Reduction is.
template <AnyNetwork Network, class SizeOf>
AlphaBetaGamma slowest_path(const Network& network, const Schedule& schedule, bool detailed, SizeOf size_of) {
  constexpr std::int64_t enough = 4'000'000;
  AlphaBetaGamma slowest;
  std::int64_t seen = 0;
  auto meet = [&](const Switched& message, Place to, Bytes bytes) {
    const Wire& w = message.wire;
    slowest.alpha = std::max(slowest.alpha, alpha(w) + (message.bytes - bytes) * w.per_byte);
    slowest.beta = std::max(slowest.beta, w.per_byte);
    slowest.gamma = std::max(slowest.gamma, network.gamma(to));
    ++seen;
  };
  auto meet_switched = [&](Switching what, Place from, Place to, Bytes bytes) {
    if (from.rank != to.rank) meet(switched(network, what, from, to, bytes), to, bytes);
  };
  Step step(detailed);
  for (std::int64_t s = 0; s < schedule.steps && seen < enough;
       s = detailed ? s + 1 : next_different(schedule, s)) {
    step.clear();
    schedule.rule(s, step);
    for (const Transfer& t : step.transfers) {
      const Bytes bytes = size_of(step, t);
      meet({network.wire(t.from, t.to, bytes), bytes}, t.to, bytes);
    }
    for (const Multicast& m : step.multicasts)
      for (Rank i = 0; i < m.to.count; ++i)
        meet_switched(Switching::multicast, m.from, {m.to[i], m.memory}, size_of(step, m));
    for (const Reduction& m : step.reductions)
      for (Rank i = 0; i < m.from.count; ++i)
        meet_switched(Switching::reduction, {m.from[i], m.memory}, m.to, size_of(step, m));
  }
  return slowest;
}

}  // namespace detail

template <AnyNetwork Network>
AlphaBetaGamma slowest_path(const Network& network, const Schedule& schedule, const Layout& layout) {
  return detail::slowest_path(network, schedule, !layout.equal_blocks(),
                              [&layout](const Step& step, const auto& m) { return layout.size(step, m); });
}

template <AnyNetwork Network>
MachinesBySize slowest_paths(const Network& network, const Schedule& schedule) {
  MachinesBySize machines;
  for (const Bytes bytes : network.sizes())
    machines.emplace_back(bytes, detail::slowest_path(network, schedule, false,
                                                      [bytes](const Step&, const auto&) { return bytes; }));
  return machines;
}

}  // namespace collcast
