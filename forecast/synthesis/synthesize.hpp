// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "forecast/question.hpp"
#include "forecast/report/report.hpp"
#include "forecast/synthesis/front.hpp"

namespace collcast {

/// The file into which a schedule is written.
enum class ScheduleFile : std::uint8_t { none, json, msccl };

/// The fastest schedules for a machine.
struct Synthesized {
  /// For each size the fastest schedule, what it consists of, and how long it takes by path and by
  /// contention.
  report::Report report;
  bool holds = true;  ///< each schedule does what its collective's definition asks for
  std::string file;   ///< the fastest schedule at the largest size
};

/// For one platform, collective and number of ranks. `trees`: as for Front. Once interrupted, it answers with
/// the best so far.
Synthesized synthesize(const Question& question, std::int64_t trees, ScheduleFile file,
                       const Watch& watch = {});

/// Whether the schedule does what its collective's definition asks for.
bool holds(const SynthesizedSchedule& synthesized, Rank root);

}  // namespace collcast
