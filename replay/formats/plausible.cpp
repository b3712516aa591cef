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

bool has_possible_times(const Activity& a) {
  return possible(a.begin) && possible(a.duration) && possible(a.time);
}

void forget_size(Activity& a) {
  a.message = a.bytes = a.received_bytes = Bytes();
  a.counts.reset();
  a.sized = a.direct = false;
}

void forget_times(Activity& a) {
  a.begin = a.duration = Seconds(-1);
  a.time = Seconds();
}

}  // namespace

void forget_impossible(RecordedSource& source) {
  std::int64_t sizes = 0, times = 0;
  source.for_each(
      [&](Rank, int, const Activity& a) { sizes += !has_possible_size(a), times += !has_possible_times(a); });
  if (sizes + times > 0)
    source.edit([](Rank, int, Activity& a) {
      if (!has_possible_size(a)) forget_size(a);
      if (!has_possible_times(a)) forget_times(a);
    });
  SourceInfo& info = source.info();
  if (!possible(info.recorded) || info.recorded < Seconds()) info.recorded = Seconds();
  info.lose("size", sizes, "impossible (above 1 PiB): taken as unknown");
  info.lose("time", times, "impossible (above 30 years): left out");
}

}  // namespace collcast
