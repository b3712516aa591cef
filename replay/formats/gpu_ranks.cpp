// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "replay/formats/gpu_parts.hpp"
#include "replay/formats/input.hpp"
#include "support/error.hpp"

namespace collcast::gpu {

Rank largest_group(const RankTrace& trace) {
  Rank largest = 0;
  const auto look = [&](const Comm& c) {
    if (c.size <= most_recorded_ranks) largest = std::max(largest, c.size);
  };
  for (const Comm& c : trace.comms) look(c);
  for (const auto& [thread, calls] : trace.calls)
    for (const HostCall& call : calls) look(call.comm);
  return largest;
}

void name_ranks(std::vector<RankTrace>& traces, Rank world) {
  std::set<int> ranks;
  for (const RankTrace& t : traces) ranks.insert(t.rank < 0 ? rank_in_name(t.path) : -1);
  if (ranks.size() != traces.size() || *ranks.begin() < 0 || *ranks.rbegin() >= world) return;
  for (RankTrace& t : traces) t.rank = rank_in_name(t.path);
}

Rank assign_ranks(std::vector<RankTrace>& traces, Rank world) {
  std::map<Rank, std::string> claimed;
  std::set<Rank> said;
  const RankTrace* first = nullptr;
  for (const RankTrace& t : traces) {
    said.insert(t.rank);
    if (t.world <= 0) continue;
    if (!first) first = &t;
    if (first->world != t.world)
      throw InputError("ranks of two different jobs: " + first->path + " says " +
                       std::to_string(first->world) + " ranks, " + t.path + " " + std::to_string(t.world));
    world = std::max(world, t.world);
  }
  Rank next = 0;
  for (RankTrace& t : traces) {
    while (t.rank < 0 && said.contains(next)) ++next;
    if (t.rank < 0) t.rank = next++;
    if (const auto [other, is_new] = claimed.emplace(t.rank, t.path); !is_new)
      throw InputError("two files claim rank " + std::to_string(t.rank) + ": " + other->second + " and " +
                       t.path);
  }
  for (const RankTrace& t : traces)
    if (t.rank >= world || world > most_recorded_ranks)
      throw InputError(t.path + ": says it is rank " + std::to_string(t.rank) + " of " +
                       std::to_string(world));
  return world;
}

}  // namespace collcast::gpu
