// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "algorithms/catalogue.hpp"
#include "model/fabric.hpp"
#include "model/slowest_path.hpp"

namespace collcast {

/// The shortest segment that a search considers: Ethernet's shortest frame. On a platform whose messages cost
/// nothing but their bytes, a search would go on to ever shorter ones.
inline constexpr Bytes least_segment{64};

/// The number of segments that minimises the algorithm's formula, with the machine for segments of that size.
Block best_by_formula(const Algorithm& algorithm, const Call& call, const MachinesBySize& machines);

/// Minimises the time of K segments, 1 <= K <= `most`, by descent from the best of 1 and `starts`: K is
/// doubled or halved while that helps, then changed by ever smaller strides, down to 1/16 of K. It takes
/// about 20 evaluations of `time`; a time beyond the given limit need not be exact. If all starts take longer
/// than `worth`, it ends with them.
Block search_segments(const std::vector<Block>& starts, Block most,
                      const std::function<Seconds(Block, Seconds limit)>& time, Seconds worth);

/// The time by critical path. If it is beyond `limit`, any time beyond `limit`.
Seconds path_time(const Fabric& fabric, const Algorithm& algorithm, const Call& call, Seconds limit);

/// The call with segments of this size, if the algorithm takes segments.
Call segmented(const Algorithm& algorithm, Call call, Bytes segment);

/// The same. If `segment` is empty, it is the number of segments that is fastest on the fabric. The formula
/// and the sizes at which wires change propose numbers, and critical paths decide; if a path has more than
/// four million messages, the formula decides. An algorithm that was made for this size brings its own
/// number. `least`: the time of another algorithm. The search ends early if a port alone takes longer, or if
/// all proposals take a quarter longer.
Call segmented(const Fabric& fabric, const Algorithm& algorithm, const Call& call,
               std::optional<Bytes> segment = {}, std::optional<Seconds> least = {});

}  // namespace collcast
