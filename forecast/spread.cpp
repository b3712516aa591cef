// SPDX-License-Identifier: Apache-2.0
#include "forecast/spread.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/load.hpp"
#include "model/repeats.hpp"
#include "support/meanwhile.hpp"

namespace collcast {
namespace {

/// Steps of a long play. A relative change of 1e-12 grows to 1e-4 in some 50 steps of an alltoall on shared
/// links, and to 1e-2 in 70.
constexpr std::int64_t long_play = 40;
constexpr double jitter = 1e-9, amplified_by = 1e-6;

Reading with_more(const Engine& engine, const SizedSchedule& subject, const Fabric& fabric, int billionths) {
  Call call = *subject.call;
  call.message = call.message * (1 + billionths * jitter);
  return read(engine, {*subject.algorithm, call}, fabric, true);
}

/// Up to so many messages are played at both ends of the uncertainty, too.
constexpr std::int64_t few_messages = 10'000;

}  // namespace

Spread read_spread(const Engine& engine, const SizedSchedule& subject, const Fabric& fabric) {
  const auto alone = [](const Reading& r) { return Spread{r, r.time, r.time}; };
  if (engine.name != "contention" || !subject.call || subject.schedule.steps < long_play ||
      !subject.layout.equal_blocks())
    return alone(read(engine, subject, fabric, true));
  fabric.links();  // made once, before two readings ask for them
  auto second =
      std::async(std::launch::async, also_interrupted([&] { return with_more(engine, subject, fabric, 1); }));
  std::vector<Reading> readings{read(engine, subject, fabric, true)};
  readings.push_back(second.get());
  const auto as_the_first = [&] {
    return std::abs(readings.back().time / readings.front().time - 1) <= amplified_by;
  };
  if (as_the_first()) return alone(readings[0]);
  readings.push_back(with_more(engine, subject, fabric, -1));
  if (as_the_first()) return alone(readings[0]);  // the size lies at a limit, beyond which other costs hold
  std::ranges::sort(readings, {}, &Reading::time);
  return {readings[1], readings[0].time, readings[2].time, true};
}

void Ends::include(Seconds fast, Seconds centre, Seconds slow) {
  if (!(centre.value > 0)) return;
  least = std::min(least, fast / centre), most = std::max(most, slow / centre);
}

Ends read_ends(const Engine& by, const SizedSchedule& subject, Seconds time, const Fabric& nominal,
               const Fabric& fast, const Fabric& slow) {
  const bool few = !by.quick && messages_of(subject.schedule, few_messages) <= few_messages;
  const Engine& quick = by.quick ? by : engine(few ? "contention" : "path");
  const auto by_quick = [&](const Fabric& fabric) { return read(quick, subject, fabric).time; };
  auto first = meanwhile(nominal.ranks(), [&] { return by_quick(fast); });
  const Seconds last = by_quick(slow);
  Ends found;
  found.include(first.get(), &quick == &by ? time : by_quick(nominal), last);
  if (by.quick || few) return found;
  const auto load = [&](const Fabric& fabric) { return heaviest(fabric, subject.traffic()).time; };
  found.include(load(fast), load(nominal), load(slow));
  return found;
}

}  // namespace collcast
