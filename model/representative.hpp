// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout.hpp"
#include "model/network.hpp"
#include "model/path_result.hpp"
#include "model/repeats.hpp"

namespace collcast {

/// Whether one rank may be read for all, as all do the same at the same times: the schedule is symmetric, its
/// blocks are equal, all wires cost the same, and each rank has its own ports and processor.
template <AnyNetwork Network>
bool has_representative(const Schedule& schedule, const Layout& layout, const Network& network) {
  if (!symmetric_rule(schedule) || schedule.ranks == 1 || !layout.equal_blocks()) return false;
  if constexpr (requires { network.processor(0); })
    for (Rank r = 0; r < schedule.ranks; ++r)
      if (network.processor(r) != r) return false;
  if constexpr (requires { network.hockney(); }) return network.hockney().has_value();
  return false;
}

/// What each rank of a symmetric schedule does, as messages of rank 0 to itself over a RepresentativeNetwork.
/// `schedule` must outlive the result.
inline Schedule representative_schedule(const Schedule& schedule) {
  const auto rule = [&symmetric = *symmetric_rule(schedule)](std::int64_t s, Step& step) {
    const SymmetricStep same = symmetric(s);
    for (std::int64_t i = 0; i < same.messages; ++i) step.send(0, 0, {0, same.blocks}, same.combine);
  };
  const auto repeated = repeats(schedule);
  return repeating({1, schedule.blocks, schedule.steps, rule}, {repeated.begin(), repeated.end()});
}

/// A network whose wires all cost the same, as one rank sees it: port 0 out, port 1 in.
template <AnyNetwork Network>
class RepresentativeNetwork {
 public:
  explicit RepresentativeNetwork(const Network& network) : network_(network) {}
  Wire wire(Place, Place, Bytes bytes) const {
    Wire w = network_.wire(0, 1, bytes);
    return w.out = 0, w.in = 1, w;
  }
  SecondsPerByte gamma(Place) const { return network_.gamma(0); }
  const MessageProtocol& protocol() const { return network_.protocol(); }
  Port ports() const { return 2; }
  Port queues() const { return 2; }

 private:
  const Network& network_;
};

/// The result for all ranks.
inline PathResult of_all(PathResult one, Rank ranks, Port ports) {
  one.finish.assign(static_cast<std::size_t>(ranks), Seconds(one.finish[0]));
  one.busy.assign(ports, Seconds(one.busy[0]));
  return one;
}

}  // namespace collcast
