// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/report/plot.hpp"
#include "forecast/report/report.hpp"
#include "forecast/tune.hpp"

namespace collcast::report {

/// `tune`'s points, and the rules that the file has; of NCCL with the channels of large messages.
Report make(const Tuned& tuned, const tuner::Format& format);

/// Adds notes to that report on what `set` of the question does not move.
void tell_unmoved(Report& report, const TuneQuestion& question, const Watch& watch);

/// All that the library can be told, and how long that takes.
Section able(const Tuned& tuned);

/// For each collective the time by size of the default and of what the library then plays, with its interval,
/// and the sizes at which the file changes its mind.
Picture picture(const Tuned& tuned, const tuner::Format& format);

}  // namespace collcast::report
