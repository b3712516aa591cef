// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "replay/formats/gpu_parts.hpp"
#include "replay/formats/input.hpp"
#include "support/error.hpp"
#include "support/notes.hpp"

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

void refuse_several_jobs(const std::vector<RankTrace>& traces, std::vector<std::string>& notes) {
  SaidAlike maker, backend, library, world;
  const RankTrace* first = nullptr;
  const auto said = [](std::string_view what, std::string_view value) {
    return value.empty() ? std::string() : std::string(what) + std::string(value);
  };
  for (const RankTrace& t : traces) {
    maker.say(t.path, said("GPUs of ", maker_of_gpu(t.gpu)));
    backend.say(t.path, said("backend ", t.job.backend));
    library.say(t.path, said("NCCL ", t.job.library));
    world.say(t.path, said("a default group of ", ranks_in_words(t.job.world)));
    if (t.gpu.empty()) continue;
    if (!first) first = &t;
    if (first->gpu != t.gpu)
      add_once(notes,
               "the ranks' GPUs are different ones, " + first->gpu + " and " + t.gpu + ": taken for one job");
  }
}

std::optional<WallTime> by_wall_clock(const RankTrace& trace, Span window) {
  constexpr double first_of_2001_us = 978'307'200e6;
  const double base_us = 1e-3 * static_cast<double>(trace.base_ns);
  const bool told = window.end > window.begin && base_us + window.begin > first_of_2001_us;
  if (!told) return std::nullopt;
  return WallTime{trace.path, Seconds(1e-6 * (base_us + window.begin)),
                  Seconds(1e-6 * (base_us + window.end)), usual_patience};
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
    claim_rank(claimed, t.rank, t.path);
  }
  for (const RankTrace& t : traces)
    if (t.rank >= world || world > most_recorded_ranks)
      throw InputError(t.path + ": says it is rank " + std::to_string(t.rank) + " of " +
                       std::to_string(world));
  return world;
}

}  // namespace collcast::gpu
