// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "algorithms/catalogue.hpp"
#include "model/critical_path.hpp"
#include "model/slowest_path.hpp"

namespace collcast {

/// The number of segments that makes the algorithm's formula least on the machine for segments of their size;
/// segments hold a byte or more.
Block best_by_formula(const Algorithm& algorithm, const Call& call, const MachinesBySize& machines);

/// From the best of one segment and `starts` downhill in the time of K segments, 1 <= K <= most: doubled or
/// halved as long as that helps, then by ever smaller strides, down to 1/16. Asks for about 20 times; what
/// is beyond the limit that it gives need not be exact.
Block search_segments(const std::vector<Block>& starts, Block most,
                      const std::function<Seconds(Block, Seconds limit)>& time);

/// By critical path; beyond the limit any time beyond it.
template <class Network>
Seconds path_time(const Network& network, const Algorithm& a, const Call& call, Seconds limit) {
  const Schedule schedule = a.schedule(call);
  return critical_path(schedule, layout(a, call, schedule), network, {}, limit).time;
}

/// The call in segments of so many bytes, as far as the algorithm takes any.
Call segmented(const Algorithm& algorithm, Call call, Bytes segment);

/// The same; without a segment, in those with which the algorithm is fastest on the network. Its formula and
/// the sizes at which the network changes say where to look, critical paths which are best; the formula
/// alone where a path has more than four million messages.
template <class Network>
Call segmented(const Network& network, const Algorithm& a, const Call& call,
               std::optional<Bytes> segment = {}) {
  if (segment || !a.segmented || call.message.value == 0)
    return segmented(a, call, segment.value_or(call.message));
  const auto most = std::min(static_cast<Block>(call.message.value), Block{4'000'000} / call.ranks);
  Call best = call;
  best.segments = best_by_formula(a, call, slowest_paths(network, a.schedule(call)));
  if (best.segments > most) return best;
  std::vector<Block> starts{best.segments};
  for (const Bytes size : network.sizes())
    for (const double messages : {1, 2})  // that carry a segment, one in each tree
      if (const double k = call.message / (messages * size); k < 64.0 * static_cast<double>(best.segments))
        starts.push_back(static_cast<Block>(k) + 1);
  best.segments = search_segments(starts, most, [&, c = call](Block k, Seconds limit) mutable {
    c.segments = k;
    return path_time(network, a, c, limit);
  });
  return best;
}

}  // namespace collcast
