// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "algorithms/catalogue.hpp"
#include "model/critical_path.hpp"
#include "platforms/machine.hpp"

namespace collcast {

/// How a schedule is read for its time. formula: the algorithm's closed form. path: the critical path of its
/// schedule. simgrid: the schedule with contention.
enum class Reading : std::uint8_t { formula, path, simgrid };

/// How long one call takes, between which limits, and why.
struct Prediction {
  const Algorithm* algorithm = nullptr;
  Call call;
  Seconds time, low, high;
  Seconds lower_bound;
  std::string limited_by;
  bool calibrated = false;

  /// Bytes per second as nccl-tests defines them: message / time, and times the collective's factor.
  BytesPerSecond algorithm_bandwidth() const;
  BytesPerSecond bus_bandwidth() const;
};

/// A platform with a number of ranks on it, as it is described and at both ends of its uncertainty.
class Forecaster {
 public:
  /// `memory`: where the ranks keep the message.
  Forecaster(const Description& description, Rank ranks, const Placement& placement = Placement::block,
             Memory memory = Memory::device);

  /// Throws InputError where the platform lacks what the algorithm needs.
  Prediction predict(const Algorithm& algorithm, const Call& call, Reading engine) const;
  /// What the algorithm needs of the network and this platform does not have, in words; empty: nothing.
  std::string lacks(const Algorithm& algorithm) const;

  /// What no schedule beats here; for a library that does not send messages as the platform describes them,
  /// by bandwidth alone.
  enum class Bound : std::uint8_t { messages, bandwidth };
  Seconds lower_bound(const Algorithm& algorithm, const Call& call, Bound bound = Bound::messages) const;
  bool calibrated() const { return nominal_.machine.calibrated(); }
  const Fabric& fabric() const { return nominal_.fabric; }
  /// Consecutive ranks that share a node; 1 where ranks are dealt out.
  Rank ranks_per_node() const { return ranks_per_node_; }

 private:
  struct Platform {
    Machine machine;
    HomeFabric fabric;
    Platform(const Description& d, Rank ranks, const Placement& placement, Memory memory)
        : machine(d, ranks, placement), fabric(machine, memory) {}
  };
  Platform nominal_, fast_, slow_;
  Rank ranks_per_node_;
};

/// Some ranks of a fabric, numbered from 0, as a network for CriticalPath.
class MemberFabric {
 public:
  MemberFabric(const Fabric& fabric, const std::vector<Rank>& members) : fabric_(fabric), members_(members) {}
  Wire wire(Place from, Place to, Bytes bytes) const { return fabric_.wire(world(from), world(to), bytes); }
  std::vector<Bytes> sizes() const { return fabric_.sizes(); }
  SecondsPerByte gamma(Place p) const { return fabric_.gamma(world(p)); }
  const Protocol& protocol() const { return fabric_.protocol(); }
  Port ports() const { return fabric_.ports(); }
  Port queues() const { return fabric_.queues(); }

 private:
  Place world(Place p) const { return {members_[static_cast<std::size_t>(p.rank)], p.memory}; }
  const Fabric& fabric_;
  const std::vector<Rank>& members_;
};

/// The fastest of the candidates that support the call, by critical path; null if none does.
template <class Network>
const Algorithm* fastest(const Network& network, const std::vector<const Algorithm*>& candidates,
                         const Call& call);

/// The algorithms of a collective that `auto` chooses from: those that any network can play.
std::vector<const Algorithm*> common_algorithms(Collective collective);

/// The fixed costs of a message, the handshake of a rendezvous included.
inline Seconds alpha(const Wire& w) {
  return w.overhead + (w.eager ? Seconds() : w.handshake) + w.latency + w.receive_overhead;
}

/// alpha, beta and gamma of the slowest path among a schedule's messages (the first four million of them).
template <class Network>
AlphaBetaGamma slowest_path(const Network& network, const Schedule& schedule, const Layout& layout);

/// A machine for messages of a size and more.
using MachinesBySize = std::vector<std::pair<Bytes, AlphaBetaGamma>>;
/// The same, if all messages were of one of the sizes at which the network's wires change.
template <class Network>
MachinesBySize slowest_paths(const Network& network, const Schedule& schedule);

/// The number of segments that makes the algorithm's formula least on the machine for segments of their size;
/// segments hold a byte or more.
Block best_segments(const Algorithm& algorithm, const Call& call, const MachinesBySize& machines);

namespace detail {

/// `size_of(step, message)` says how large a Transfer or a Multicast is.
template <class Network, class SizeOf>
AlphaBetaGamma slowest_path(const Network& network, const Schedule& schedule, bool detailed, SizeOf size_of) {
  constexpr std::int64_t enough = 4'000'000;
  AlphaBetaGamma slowest;
  std::int64_t seen = 0;
  auto meet = [&](Place from, Place to, Bytes bytes) {
    const Wire w = network.wire(from, to, bytes);
    slowest.alpha = std::max(slowest.alpha, alpha(w));
    slowest.beta = std::max(slowest.beta, w.per_byte);
    slowest.gamma = std::max(slowest.gamma, network.gamma(to));
    ++seen;
  };
  Step step(detailed);
  for (std::int64_t s = 0; s < schedule.steps && seen < enough; ++s) {
    step.clear();
    schedule.rule(s, step);
    for (const Transfer& t : step.transfers) meet(t.from, t.to, size_of(step, t));
    for (const Multicast& m : step.multicasts)
      for (Rank i = 0; i < m.to.count; ++i)
        if (m.to[i] != m.from.rank) meet(m.from, {m.to[i], m.memory}, size_of(step, m));
  }
  return slowest;
}

}  // namespace detail

template <class Network>
AlphaBetaGamma slowest_path(const Network& network, const Schedule& schedule, const Layout& layout) {
  return detail::slowest_path(network, schedule, !layout.equal_blocks(),
                              [&layout](const Step& step, const auto& m) { return layout.size(step, m); });
}

template <class Network>
MachinesBySize slowest_paths(const Network& network, const Schedule& schedule) {
  MachinesBySize machines;
  for (const Bytes bytes : network.sizes())
    machines.emplace_back(bytes, detail::slowest_path(network, schedule, false,
                                                      [bytes](const Step&, const auto&) { return bytes; }));
  return machines;
}

template <class Network>
const Algorithm* fastest(const Network& network, const std::vector<const Algorithm*>& candidates,
                         const Call& call) {
  const Algorithm* best = nullptr;
  Seconds least;
  for (const Algorithm* a : candidates) {
    if (!a->supports(call.ranks)) continue;
    Call c = call;
    if (a->segmented && c.message.value > 0)
      c.segments = best_segments(*a, c, slowest_paths(network, a->schedule(c)));
    const Schedule schedule = a->schedule(c);
    const Seconds time = critical_path(schedule, layout(*a, c, schedule), network).time;
    if (!best || time < least) best = a, least = time;
  }
  return best;
}

}  // namespace collcast
