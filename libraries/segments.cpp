// SPDX-License-Identifier: Apache-2.0
#include "libraries/segments.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "model/critical_path.hpp"

namespace collcast {

/// The most segments that a search considers.
static Block most_segments(Bytes message) {
  return static_cast<Block>(std::clamp(message / least_segment, 1.0, 1e6));
}

/// The best number of segments by the formula. It has one minimum in K on each machine: steps of a quarter
/// octave find its neighbourhood, bisection the number.
Block best_by_formula(const Algorithm& a, const Call& call, const MachinesBySize& machines) {
  const Block most = most_segments(call.message);
  auto time = [&](Block k) {
    Call c = call;
    c.segments = k;
    const Bytes segment = call.message / static_cast<double>(k);
    const auto beyond = std::ranges::find_if(machines, [&](const auto& m) { return m.first > segment; });
    return a.time(c, std::prev(beyond)->second);
  };
  Block best = 1;
  for (double k = 1; k <= static_cast<double>(most); k *= 1.189207115)
    if (const auto candidate = static_cast<Block>(k); time(candidate) < time(best)) best = candidate;
  for (Block stride = std::max<Block>(1, best / 8); stride > 0; stride /= 2)
    for (Block candidate : {best - stride, best + stride})
      if (candidate >= 1 && candidate <= most && time(candidate) < time(best)) best = candidate;
  return best;
}

Call segmented(const Algorithm& a, Call call, Bytes segment) {
  if (a.segmented && call.message.value > 0)
    call.segments = std::max<Block>(1, static_cast<Block>(std::ceil(call.message / segment)));
  return call;
}

Seconds path_time(const Fabric& fabric, const Algorithm& a, const Call& call, Seconds limit) {
  const Schedule schedule = a.schedule(call);
  return critical_path(schedule, layout(a, call, schedule), fabric, {}, limit).time;
}

namespace {

/// A fabric whose messages cost only the time of their bytes on the ports, at the highest bandwidth of any
/// size up to their own.
class BytesAlone {
 public:
  explicit BytesAlone(const Fabric& fabric) : fabric_(fabric), sizes_(fabric.sizes()) {}
  Wire wire(Place from, Place to, Bytes bytes) const {
    return fastest(bytes, [&](Bytes b) { return fabric_.wire(from, to, b); });
  }
  Switched switched(Switching what, Place from, Place to, Bytes bytes) const {
    return {fastest(bytes, [&](Bytes b) { return fabric_.switched(what, from, to, b).wire; }), bytes};
  }
  SecondsPerByte gamma(Place) const { return {}; }
  const MessageProtocol& protocol() const { return fabric_.protocol(); }
  Port ports() const { return fabric_.ports(); }
  Port queues() const { return fabric_.queues(); }

 private:
  template <class WireOf>
  Wire fastest(Bytes bytes, WireOf wire_of) const {
    Wire wire = wire_of(bytes);
    SecondsPerByte least = wire.per_byte - wire.software, least_in = least - wire.spare_in;
    for (const Bytes size : sizes_) {
      if (!(size < bytes)) break;
      const Wire smaller = wire_of(size);
      const SecondsPerByte links = smaller.per_byte - smaller.software;
      least = std::min(least, links), least_in = std::min(least_in, links - smaller.spare_in);
    }
    wire.per_byte = least, wire.software = {}, wire.spare_in = least - least_in;
    wire.latency = wire.overhead = wire.receive_overhead = wire.gap = wire.handshake = wire.other_sender = {};
    return wire;
  }

  const Fabric& fabric_;
  const std::vector<Bytes> sizes_;
};

/// A lower bound of the time for any number of segments: the number changes when a port is busy, but not with
/// how many bytes.
Seconds busiest_port_at_least(const Fabric& fabric, const Algorithm& a, Call whole) {
  constexpr double rounding = 1e-9;
  whole.segments = 1;
  const Schedule schedule = a.schedule(whole);
  const PathResult path = critical_path(schedule, layout(a, whole, schedule), BytesAlone(fabric));
  return (1 - rounding) * std::ranges::max(path.busy);
}

}  // namespace

Block search_segments(const std::vector<Block>& starts, Block most,
                      const std::function<Seconds(Block, Seconds)>& time, Seconds worth) {
  std::set<Block> known = {1};
  Block best = 1;
  Seconds least = time(1, worth);
  const auto better = [&](Block k) {
    k = std::clamp<Block>(k, 1, most);
    if (!known.insert(k).second) return false;  // tried before
    const Seconds found = time(k, least);
    if (!(found < least)) return false;
    best = k, least = found;
    return true;
  };
  for (const Block start : starts) better(start);
  if (least > worth) return best;
  while (better(2 * best) || better(best / 2)) {
  }
  for (Block stride = std::max<Block>(1, best / 4); stride > best / 32; stride /= 2)
    if (!better(best + stride)) better(best - stride);
  return best;
}

/// Whether messages share links of a node in a way that an exact formula counts and the critical path does
/// not: if all ranks multicast in steps in which switches reduce.
static bool shares_links_unseen_by_path(const Algorithm& a) {
  bool meets = false;
  if (a.time && a.exact)
    for_each_step(a.schedule({.ranks = a_few_ranks(a), .segments = 2}), false, [&](const Step& step) {
      meets = meets || (step.multicasts.size() > 1 && !step.reductions.empty());
    });
  return meets;
}

Call segmented(const Fabric& fabric, const Algorithm& a, const Call& call, std::optional<Bytes> segment,
               std::optional<Seconds> least) {
  if (segment || !a.segmented || call.message.value == 0)
    return segmented(a, call, segment.value_or(call.message));
  if (a.best_segments && a.best_segments->message == call.message) {
    Call known = call;
    known.segments = a.best_segments->segments;
    return known;
  }
  const Block most = std::min(most_segments(call.message), Block{4'000'000} / call.ranks);
  const Seconds worth = a.time && least ? 1.25 * *least : no_limit;
  if (least && *least < no_limit && busiest_port_at_least(fabric, a, call) > *least)
    return segmented(a, call, call.message);
  Call best = call;
  if (a.time) best.segments = best_by_formula(a, call, slowest_paths(fabric, a.schedule(call)));
  if (best.segments > most || shares_links_unseen_by_path(a)) return best;
  std::vector<Block> starts{best.segments};
  // A formula that is too high here may show no gain from segments.
  const bool exact_here = a.exact && fabric.hockney();
  if ((a.bound || a.exact) && !exact_here && best.segments == 1)
    for (const Block some : {2, 4, 8}) starts.push_back(some);
  for (const Bytes size : fabric.sizes())
    for (const double messages : {1, 2})  // messages that carry a segment: one in each tree
      if (const double k = call.message / (messages * size); k < 64.0 * static_cast<double>(best.segments))
        starts.push_back(static_cast<Block>(k) + 1);
  const auto time = [&, c = call](Block k, Seconds limit) mutable {
    c.segments = k;
    return path_time(fabric, a, c, limit);
  };
  best.segments = search_segments(starts, most, time, worth);
  return best;
}

}  // namespace collcast
