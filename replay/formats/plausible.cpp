// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/plausible.hpp"

#include <algorithm>

namespace collcast {
namespace {

bool possible(Bytes b) {
  return b >= Bytes(0) && b <= most_of_a_call;
}

bool possible(const std::vector<Bytes>& all) {
  return std::ranges::all_of(all, [](Bytes b) { return possible(b); });
}

bool has_possible_size(const Activity& a) {
  const Counts* const parts = a.counts.get();
  return possible(a.message) && possible(a.bytes) && possible(a.received_bytes) &&
         (!parts || (possible(parts->shares) && possible(parts->sent) && possible(parts->received)));
}

/// Whether a job may have such a time; a negative one is unknown.
bool possible(Seconds time) {
  return time <= longest_of_all;
}

bool forget_size(Activity& a) {
  if (has_possible_size(a)) return false;
  a.message = a.bytes = a.received_bytes = Bytes();
  a.counts.reset();
  a.sized = a.direct = false;
  return true;
}

bool forget_times(Activity& a) {
  if (possible(a.begin) && possible(a.duration) && possible(a.time)) return false;
  a.begin = a.duration = Seconds(-1);
  a.time = Seconds();
  return true;
}

}  // namespace

void forget_impossible(RecordedSource& source) {
  std::int64_t sizes = 0, times = 0;
  for (Rank r = 0; r < source.ranks(); ++r)
    for (int s = 0; s < source.streams(r); ++s)
      for (Activity& a : source.at(r, s)) sizes += forget_size(a), times += forget_times(a);
  SourceInfo& info = source.info();
  if (!possible(info.recorded) || info.recorded < Seconds()) info.recorded = Seconds();
  info.lose("size", sizes, "impossible (above 1 PiB): taken as unknown");
  info.lose("time", times, "impossible (above 30 years): left out");
}

}  // namespace collcast
