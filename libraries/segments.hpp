// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "algorithms/catalogue.hpp"
#include "model/fabric.hpp"
#include "model/slowest_path.hpp"

namespace collcast {

/// Ethernet's shortest frame: a search takes no shorter segment, though it costs no more by a description
/// that knows no cost of a message.
inline constexpr Bytes least_segment{64};

/// The number of segments that makes the algorithm's formula least on the machine for segments of their size.
Block best_by_formula(const Algorithm& algorithm, const Call& call, const MachinesBySize& machines);

/// From the best of one segment and `starts` downhill in the time of K segments, 1 <= K <= most: doubled or
/// halved as long as that helps, then by ever smaller strides, down to 1/16. Asks for about 20 times; what
/// is beyond the limit that it gives need not be exact.
/// Ends after the starts where all of these take longer than what is worth it.
Block search_segments(const std::vector<Block>& starts, Block most,
                      const std::function<Seconds(Block, Seconds limit)>& time, Seconds worth);

/// By critical path; beyond the limit any time beyond it.
Seconds path_time(const Fabric& fabric, const Algorithm& algorithm, const Call& call, Seconds limit);

/// The call in segments of so many bytes, as far as the algorithm takes any.
Call segmented(const Algorithm& algorithm, Call call, Bytes segment);

/// The same; without a segment, in those with which the algorithm is fastest on the fabric. Its formula and
/// the sizes at which the fabric changes say where to look, critical paths which are best; the formula
/// alone where a path has more than four million messages. `least`: another algorithm takes so long; where
/// a port alone takes longer, or all that the formula proposes a quarter more, the search ends.
Call segmented(const Fabric& fabric, const Algorithm& algorithm, const Call& call,
               std::optional<Bytes> segment = {}, std::optional<Seconds> least = {});

}  // namespace collcast
