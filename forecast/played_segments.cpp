// SPDX-License-Identifier: Apache-2.0
#include "forecast/played_segments.hpp"

#include "engines/automatic.hpp"
#include "libraries/segments.hpp"
#include "model/critical_path.hpp"

namespace collcast {

Call in_played_segments(const Fabric& fabric, const Algorithm& a, Call call, const Engine& engine) {
  constexpr std::int64_t most_messages = 50'000;
  const bool made_so = a.best_segments && a.best_segments->message == call.message;
  if (!a.segmented || made_so || call.message < 2.0 * least_segment) return call;
  const SizedSchedule found(a, call);
  if (!resolve(engine, found, fabric).engine->contention ||
      messages_of(found.schedule, most_messages) > most_messages)
    return call;
  const auto most = static_cast<Block>(call.message / least_segment);
  const auto time = [&](Block k, Seconds limit) {
    Call c = call;
    c.segments = k;
    if (const Seconds path = path_time(fabric, a, c, limit); path > limit) return path;
    const SizedSchedule subject(a, c);
    if (messages_of(subject.schedule, most_messages) > most_messages) return no_limit;
    return read(collcast::engine("contention"), subject, fabric).time;
  };
  call.segments =
      search_segments({call.segments, 4 * call.segments, 16 * call.segments}, most, time, no_limit);
  return call;
}

}  // namespace collcast
