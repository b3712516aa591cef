// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engines/engine.hpp"
#include "forecast/segments.hpp"
#include "platforms/machine/machine.hpp"

namespace collcast {

/// How long one call takes, between which limits, and why.
struct Prediction {
  const Algorithm* algorithm = nullptr;
  Call call;
  Seconds time, low, high;
  Seconds lower_bound;
  std::string limited_by;
  std::optional<double> limited_by_share;  ///< of the time; none where the engine does not say
  bool calibrated = false;

  /// Bytes per second as nccl-tests defines them: message / time, and times the collective's factor.
  BytesPerSecond algorithm_bandwidth() const;
  BytesPerSecond bus_bandwidth() const;
};

/// The processor of each rank where the ranks of a node take turns at `workers` cores of its DPU; none
/// without workers. Throws InputError where the DPU has fewer cores.
std::vector<Rank> served_by(int workers, const Machine& machine);

/// A platform with a number of ranks on it, as it is described and at both ends of its uncertainty.
class Forecaster {
 public:
  /// `memory`: where the ranks keep the message. `workers`: cores of each node's DPU that play for its ranks;
  /// 0: the ranks play themselves. Throws InputError where there are no such cores.
  Forecaster(const Description& description, Rank ranks, const Placement& placement = Placement::block,
             Memory memory = Memory::device, int workers = 0);

  /// Throws InputError where the platform lacks what the algorithm needs.
  Prediction predict(const Algorithm& algorithm, const Call& call, const Engine& engine) const;
  /// Mean over the ranks of their own times, by critical path, in OSU's loop: each rank calls as it leaves
  /// the `barrier` that followed the call before, so that who was done early in the one waits in the other.
  Seconds mean_between_barriers(const Algorithm& algorithm, const Call& call, const Algorithm& barrier) const;
  /// What the algorithm needs of the network and this platform does not have, in words; empty: nothing.
  std::string lacks(const Algorithm& algorithm) const;
  /// Why libraries do not run it here on messages of this size, in words; empty: they may.
  std::string unwise(const Algorithm& algorithm, Bytes message) const;

  /// What no schedule beats here; for a library that does not send messages as the platform describes them,
  /// by bandwidth alone.
  enum class Bound : std::uint8_t { messages, bandwidth };
  Seconds lower_bound(const Algorithm& algorithm, const Call& call, Bound bound = Bound::messages) const;
  bool calibrated() const { return nominal_.machine.calibrated(); }
  const Fabric& fabric() const { return nominal_.fabric; }
  const Machine& machine() const { return nominal_.machine; }
  /// Consecutive ranks that share a node; 1 where ranks are dealt out.
  Rank ranks_per_node() const { return ranks_per_node_; }

 private:
  Capabilities serving(const Demands& demands) const;
  /// What the algorithm rests on beyond messages included.
  bool calibrated(const Algorithm& algorithm) const;

  struct Platform {
    Machine machine;
    HomeFabric fabric;
    Platform(const Description& d, Rank ranks, const Placement& placement, Memory memory, int workers)
        : machine(d, ranks, placement), fabric(machine, memory, served_by(workers, machine)) {}
  };
  Platform nominal_, fast_, slow_;
  Memory played_in_;
  Rank ranks_per_node_;
};

/// Some ranks of a fabric, numbered from 0, as a network for CriticalPath.
class MemberFabric {
 public:
  MemberFabric(const Fabric& fabric, const std::vector<Rank>& members) : fabric_(fabric), members_(members) {}
  Wire wire(Place from, Place to, Bytes bytes) const { return fabric_.wire(world(from), world(to), bytes); }
  Switched switched(Switching what, Place from, Place to, Bytes bytes) const {
    return fabric_.switched(what, world(from), world(to), bytes);
  }
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

/// An algorithm and the call with its segments.
struct Choice {
  const Algorithm* algorithm = nullptr;
  Call call;
};
/// The fastest of the candidates that support so many ranks, by critical path, and the first of them that are
/// equally fast; a null algorithm if none does. Those of few steps go first: longer ones are read only until
/// they are too late. `consider` is told of each before it is read.
template <class Network>
Choice fastest(
    const Network& network, const std::vector<const Algorithm*>& candidates, const Call& call,
    std::optional<Bytes> segment = {},
    const std::function<void(const Algorithm&)>& consider = [](const Algorithm&) {}) {
  struct Candidate {
    std::int64_t steps;
    std::size_t place;
    auto operator<=>(const Candidate&) const = default;
  };
  std::vector<Candidate> able;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!candidates[i]->supports(call.ranks)) continue;
    check(*candidates[i], call);
    able.push_back({candidates[i]->schedule(call).steps, i});
  }
  std::ranges::sort(able);
  Choice best;
  Seconds least = no_limit;
  std::size_t first = 0;
  for (const auto [steps, place] : able) {
    const Algorithm& a = *candidates[place];
    consider(a);
    const Call c = segmented(network, a, call, segment);
    const Seconds time = path_time(network, a, c, least);
    if (best.algorithm && !(time < least || (time == least && place < first))) continue;
    best = {&a, c}, least = time, first = place;
  }
  return best;
}

/// The algorithms of a collective that `auto` chooses from: those that any network can play.
std::vector<const Algorithm*> common_algorithms(Collective collective);

}  // namespace collcast
