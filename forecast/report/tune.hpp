// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/report/plot.hpp"
#include "forecast/report/report.hpp"
#include "forecast/tune.hpp"

namespace collcast::report {

/// The points of `tune` and the rules of the file; for NCCL also the channels of large messages.
Report make(const Tuned& tuned, const tuner::Format& format);

/// Adds notes to that report on the overrides of the question that change no row.
void tell_without_effect(Report& report, const TuneQuestion& question, const Watch& watch);

/// Everything that the library can be told to play, and how long it takes.
Section choices(const Tuned& tuned);

/// For each collective the time by size, with its interval, of the default and of what the library plays with
/// the file, and the sizes at which the file changes its choice.
Picture picture(const Tuned& tuned, const tuner::Format& format);

}  // namespace collcast::report
