// SPDX-License-Identifier: Apache-2.0
#include "libraries/parameters.hpp"

#include <algorithm>
#include <set>

#include "model/critical_path.hpp"
#include "model/repeats.hpp"

namespace collcast {
namespace {

constexpr int most_tried = 32;

/// Whether a schedule has so many messages that reading it takes more than a second.
bool too_long(const Algorithm& a, const Call& call) {
  constexpr std::int64_t most_read = 16'000'000;
  return messages_of(a.schedule(call), most_read) > most_read;
}

}  // namespace

std::vector<Call> variants(const Algorithm& a, const Call& call, const Stated& stated) {
  std::vector<Call> all;
  const auto add = [&](int Call::*parameter, const std::set<int>& values) {
    for (const int value : values) {
      if (value == call.*parameter) continue;
      all.push_back(call);
      all.back().*parameter = value;
    }
  };
  const auto up_to_all = [&](int k) { return std::clamp(k, 2, std::max(2, call.ranks)); };
  if (a.radix && !stated.radix)
    add(&Call::radix, {2, up_to_all(4), up_to_all(8), up_to_all(16), up_to_all(call.ranks_per_node)});
  if (a.channels && !stated.channels)
    add(&Call::channels, {1, 2, 4, std::max(1, call.channels / 2), std::min(most_tried, 2 * call.channels)});
  return all;
}

bool too_long_to_search(const Algorithm& a, const Call& call, const Stated& stated) {
  return std::ranges::any_of(variants(a, call, stated), [&](const Call& c) { return too_long(a, c); });
}

Call with_parameters(const Fabric& fabric, const Algorithm& a, const Call& call, const Stated& stated,
                     std::optional<Seconds> least) {
  Call best = segmented(fabric, a, call, stated.segment, least);
  std::vector<Call> others = variants(a, best, stated);
  std::erase_if(others, [&](const Call& c) { return too_long(a, c); });
  if (others.empty()) return best;
  const Seconds limit = least.value_or(no_limit);
  Seconds time = path_time(fabric, a, best, limit);
  const Call first = best;
  for (const Call& c : others) {
    const Seconds reach = std::min(limit, time), t = path_time(fabric, a, c, reach);
    if (t <= reach && t < time) best = c, time = t;
  }
  // A channel of a GPU's kernel may be much slower than the links, which then take many.
  while (!stated.channels && best.channels >= 4 && best.channels < most_tried) {
    Call more = best;
    more.channels = std::min(most_tried, 2 * best.channels);
    if (too_long(a, more)) break;
    const Seconds reach = std::min(limit, time), t = path_time(fabric, a, more, reach);
    if (!(t <= reach && t < time)) break;
    best = more, time = t;
  }
  return best.radix == first.radix ? best : segmented(fabric, a, best, stated.segment, std::min(limit, time));
}

}  // namespace collcast
