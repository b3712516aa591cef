// SPDX-License-Identifier: Apache-2.0
#include "validation/accuracy/messages.hpp"

#include "validation/calibration/calibrate.hpp"

namespace collcast::accuracy {

void compare_messages(const std::vector<Measurement>& tables, const Description& platform,
                      Comparison& comparison) {
  std::vector<Measurement> one_way;
  for (const Measurement& m : tables)
    if (m.timing == Timing::latency || m.timing == Timing::bandwidth)
      one_way.push_back(m);
    else
      ++comparison.left_out[operation(m) + " is not predicted"];

  const Description fast = optimistic(platform), slow = pessimistic(platform);
  for (const auto& [path, found] : sort_by_path(std::move(one_way)).paths)
    for (const std::vector<Measurement>* table : {&found.latency, &found.messages, &found.more_pairs})
      for (Measurement m : *table) {
        if (m.pairs > 1) {
          ++comparison.left_out["several pairs of ranks that share what a node has"];
          continue;
        }
        m.ranks = 2;
        comparison.points.push_back(
            {m,
             name(path),
             {},
             {predicted(platform, path, m), predicted(fast, path, m), predicted(slow, path, m), m.time}});
      }
}

}  // namespace collcast::accuracy
