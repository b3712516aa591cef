// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "algorithms/catalogue.hpp"
#include "engines/player/player.hpp"

namespace collcast {

/// A schedule with the sizes of its blocks, and the call of an algorithm that it comes from, if any.
struct SizedSchedule {
  Schedule schedule;
  Layout layout;
  const Algorithm* algorithm = nullptr;  ///< as `call`: outlives this
  const Call* call = nullptr;

  SizedSchedule(Schedule s, Layout l) : schedule(std::move(s)), layout(std::move(l)) {}
  SizedSchedule(const Algorithm& a, const Call& c)
      : schedule(a.schedule(c)), layout(collcast::layout(a, c, schedule)), algorithm(&a), call(&c) {}
};

/// What an engine says of a schedule on a machine.
struct Reading {
  Seconds time;
  std::string limited_by;       ///< the busiest resource, "reduction" or "latency"
  std::optional<double> share;  ///< of the time, in which it is busy; none of latency
  std::vector<Stretch> chain;   ///< of causes, the last one first, if it was asked for and is not too long
};

/// A way to say how long something takes: a row of the table.
struct Engine {
  std::string_view name;
  std::string_view what;  ///< in words
  /// Of a schedule; null: it plays the schedule as a program. Throws InputError where it cannot.
  Reading (*read)(const SizedSchedule&, const Fabric&, bool explain);
  /// Of any program; null: it knows schedules only.
  Result (*play)(Program&, const Fabric&, const PlayOptions&);
  bool quick = false;  ///< asked again for both ends of the uncertainty; others are stretched as `path` is
  bool contention = false;                ///< messages share links
  bool workers = false;                   ///< knows processors that play for several ranks
  bool overlap = false;                   ///< knows ranks that compute meanwhile
  bool (*built)() = [] { return true; };  ///< whether this build has it
};

/// Every engine. `--engine`, the campaigns' predictors and the names in answers come from this table.
std::span<const Engine> engines();

/// By its name. Throws InputError with the names that exist, and where this build does not have it.
const Engine& engine(std::string_view name);
/// One that plays programs. Throws InputError with the names of those.
const Engine& playing_engine(std::string_view name);
/// Throws InputError, with the names of those that do, unless it plays messages; `auto` does.
void require_messages(const Engine& engine);
/// What replays take: SimGrid where this build has it, and ours otherwise.
const Engine& contention_engine();
/// "formula, path or simgrid"; those that play programs, if `playing`.
std::string engine_names(bool playing = false, std::string_view before_last = " or ");

Reading read(const Engine& engine, const SizedSchedule& subject, const Fabric& fabric, bool explain = false);

}  // namespace collcast
