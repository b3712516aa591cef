// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/host_calls.hpp"

#include <algorithm>
#include <cstddef>

namespace collcast::gpu {
namespace {

bool is_message(const HostCall& c) {
  return c.comm.name == "send" || c.comm.name == "recv";
}

/// Makes messages up to a `coalesced` one group; single calls stay as they are.
std::vector<HostCall> in_groups(const std::vector<HostCall>& calls) {
  std::vector<HostCall> all;
  std::size_t first = 0;  // of the last messages
  for (const HostCall& c : calls) {
    if (c.comm.name != "coalesced") {
      all.push_back(c);
      if (!is_message(c)) first = all.size();
      continue;
    }
    std::vector<Comm> group;
    for (std::size_t i = first; i < all.size(); ++i) group.push_back(all[i].comm);
    if (group.size() > 1) {
      HostCall whole = all[first];
      whole.end = std::max(whole.end, c.end);
      whole.comm = merged(group);
      all.resize(first);
      all.push_back(whole);
    }
    first = all.size();
  }
  return all;
}

/// A rank's calls in the order in which they began. torch notes a call twice, once with its parameters and
/// once by name; only the first has the size of the group.
std::vector<HostCall> calls_of(const RankTrace& trace) {
  std::vector<HostCall> all;
  const auto take = [&](const HostCall& c) {
    if (c.comm.known() || c.comm.name == "coalesced") all.push_back(c);
  };
  for (const auto& [thread, calls] : trace.calls) std::ranges::for_each(calls, take);
  std::ranges::for_each(trace.played_by_hosts, take);
  const auto with_group = [](const HostCall& c) { return c.comm.size > 0; };
  if (std::ranges::any_of(all, with_group)) std::erase_if(all, [&](const auto& c) { return !with_group(c); });
  std::ranges::stable_sort(all, {}, [](const HostCall& c) { return c.begin; });
  return all;
}

void play(RankTrace& trace) {
  constexpr std::int64_t none = -1;
  std::vector<HostCall> calls = calls_of(trace);
  trace.peerless = static_cast<std::int64_t>(
      std::erase_if(calls, [](const HostCall& c) { return is_message(c) && c.comm.peer < 0; }));
  calls = in_groups(calls);
  double free = calls.empty() ? 0 : calls.front().begin;
  for (const Step& step : trace.steps) free = std::min(free, step.begin);
  for (const HostCall& c : calls) {
    trace.add({{free, c.begin}, none, {}, false, false}, {});
    const double begin = std::max(free, c.begin);
    // If calls of several threads overlap, the later one is played after the end of the other.
    Kernel played{{begin, std::max(c.end, begin + 1e-3)}, none, {}, true, false};
    if (begin > c.begin) played.recorded = c;
    trace.add(played, c.comm);
    free = std::max(free, c.end);
  }
  trace.calls.clear();
  trace.played_by_hosts.clear();
  trace.impossible = 0;  // calls that overlap leave no time between them
}

}  // namespace

bool play_host_calls(std::vector<RankTrace>& traces) {
  if (std::ranges::any_of(traces, [](const RankTrace& t) { return !t.kernels.empty(); })) return false;
  if (std::ranges::all_of(traces, [](const RankTrace& t) { return calls_of(t).empty(); })) return false;
  std::ranges::for_each(traces, play);
  return true;
}

}  // namespace collcast::gpu
