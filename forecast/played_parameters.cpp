// SPDX-License-Identifier: Apache-2.0
#include "forecast/played_parameters.hpp"

#include "engines/automatic.hpp"
#include "model/critical_path.hpp"
#include "model/repeats.hpp"

namespace collcast {
namespace {

constexpr std::int64_t most_messages = 50'000;

/// The time with contention; beyond `limit` it need not be exact.
Seconds played(const Fabric& fabric, const Algorithm& a, const Call& call, Seconds limit) {
  if (const Seconds path = path_time(fabric, a, call, limit); path > limit) return path;
  const SizedSchedule subject(a, call);
  if (messages_of(subject.schedule, most_messages) > most_messages) return no_limit;
  return read(engine("contention"), subject, fabric).time;
}

Block played_segments(const Fabric& fabric, const Algorithm& a, const Call& call) {
  const auto most = static_cast<Block>(call.message / least_segment);
  const auto time = [&, c = call](Block k, Seconds limit) mutable {
    c.segments = k;
    return played(fabric, a, c, limit);
  };
  return search_segments({call.segments, 4 * call.segments, 16 * call.segments}, most, time, no_limit);
}

}  // namespace

Call in_played_parameters(const Fabric& fabric, const Algorithm& a, Call call, const Stated& stated,
                          const Engine& engine) {
  const bool made_so = a.best_segments && a.best_segments->message == call.message;
  const bool cut = a.segmented && !stated.segment && !made_so && !(call.message < 2.0 * least_segment);
  const std::vector<Call> others = variants(a, call, stated);
  if (!cut && others.empty()) return call;
  const SizedSchedule found(a, call);
  if (!resolve(engine, found, fabric).engine->contention ||
      messages_of(found.schedule, most_messages) > most_messages)
    return call;
  if (cut) call.segments = played_segments(fabric, a, call);
  if (others.empty()) return call;
  Seconds least = played(fabric, a, call, no_limit);
  for (Call other : others) {
    other.segments = call.segments;
    if (const Seconds time = played(fabric, a, other, least); time < least) call = other, least = time;
  }
  return call;
}

}  // namespace collcast
