// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "engines/player/player.hpp"
#include "model/load.hpp"

namespace collcast {

/// A schedule with the sizes of its blocks, and, if an algorithm wrote it, the algorithm and its call.
struct SizedSchedule {
  Schedule schedule;
  Layout layout;
  const Algorithm* algorithm = nullptr;  ///< null: none; it and `call` must outlive this
  const Call* call = nullptr;

  SizedSchedule(Schedule s, Layout l) : schedule(std::move(s)), layout(std::move(l)) {}
  SizedSchedule(const Algorithm& a, const Call& c)
      : schedule(a.schedule(c)), layout(collcast::layout(a, c, schedule)), algorithm(&a), call(&c) {}

  /// The bytes between each pair of ranks, computed on first use.
  const std::vector<PairTraffic>& traffic() const {
    std::call_once(kept_->made, [this] { kept_->traffic = collcast::traffic(schedule, layout); });
    return kept_->traffic;
  }

 private:
  struct Kept {
    std::once_flag made;
    std::vector<PairTraffic> traffic;
  };
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

/// An engine's answer for a schedule on a machine.
struct Reading {
  Seconds time;
  std::string limited_by;       ///< the busiest resource, software, reduction, latency or a term of a formula
  std::optional<double> share;  ///< its share of the time; empty for latency, except in a formula
  std::vector<Delay> chain;     ///< the last one first; empty if not asked for, or too long
  std::vector<Result::Use> links = {};  ///< empty if the engine does not model links
};

/// A way to compute how long a schedule or a program takes: a row of the table `engines`.
struct Engine {
  std::string_view name;
  std::string_view what;  ///< one line, for users
  /// Reads a schedule; null: `play` plays it as a program. Throws InputError if the engine cannot.
  Reading (*read)(const SizedSchedule&, const Fabric&, bool explain) = nullptr;
  /// Plays any program; null: the engine reads schedules only.
  Result (*play)(Program&, const Fabric&, const PlayOptions&) = nullptr;
  /// Quick enough to be asked again for both ends of the uncertainty. The ends of other engines' answers are
  /// scaled from those of `path`.
  bool quick = false;
  bool closed_form = false;               ///< takes an algorithm's formula, not its schedule
  bool chooses = false;                   ///< stands for another engine (engines/automatic.hpp)
  bool contention = false;                ///< models messages that share links
  bool workers = false;                   ///< models a processor that plays for several ranks
  bool overlap = false;                   ///< models ranks that compute during the collective
  bool (*built)() = [] { return true; };  ///< whether this build includes it
};

/// The table of all engines, from which `--engine`, campaigns and answers take their names.
std::span<const Engine> engines();

/// The engine of this name. Throws InputError for an unknown engine and for one that this build does not
/// include.
const Engine& engine(std::string_view name);
/// The same. Throws InputError if the engine does not play programs, too.
const Engine& playing_engine(std::string_view name);
/// Throws InputError unless the engine plays messages, as `auto` does.
void require_messages(const Engine& engine);
/// The default engine of replays: SimGrid if this build includes it, else `contention`.
const Engine& contention_engine();
/// "formula, path or simgrid". `playing`: only engines that play programs.
std::string engine_names(bool playing = false, std::string_view before_last = " or ");

Reading read(const Engine& engine, const SizedSchedule& subject, const Fabric& fabric, bool explain = false);

/// The time before the schedule's first message (Fabric), which readings include.
Seconds launch(const Fabric& fabric, const Schedule& schedule);

}  // namespace collcast
