// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "replay/application/replay.hpp"
#include "support/json_fwd.hpp"
#include "workloads/training/convergence.hpp"
#include "workloads/training/step.hpp"

namespace collcast::workloads {

/// A forecast as a row of `job`. `samples`: of one pass; 0: not said.
Json job_row(const Job& job, const JobForecast& forecast, double samples, const Description& platform);
/// A forecast as a row of `train`.
Json train_row(const Training& training, const StepForecast& step, const PriceOf& price);

/// A forecast as a row of `replay`: times, nodes, and the collective that takes most time.
Json replay_row(const Source& trace, const Description& platform, const ReplayOptions& options,
                const ReplayReport& report);

/// Where the time goes: rows of role, activity, count, total_s, exposed_s and share. The exposed times of a
/// role add up to the time.
Json activity_rows(const JobForecast& forecast);
/// The layers of a training step in forward order, as a rank computes them for one micro-batch: rows of
/// layer, kind, stage, forward_s, backward_s, share (of all layers' time), limited_by (null if the device is
/// not known) and parameters (of the rank).
Json layer_rows(const Training& training);
/// Adds `steps` and `time_to_accuracy_s`, null for a batch outside the table.
void add_time_to_accuracy(Json& row, const Convergence& experience, const StepForecast& step);

/// "29.9 GiB": memory, always in GiB.
std::string gibibytes(double bytes);
/// What users should know about a forecast: its assumptions, what it leaves out, and why its efficiency is
/// above 100 %, if it is.
std::vector<std::string> cautions(const Training& training, const StepForecast& step);
/// Why the step does not fit into a processor's memory; empty if it does, or if that is not known.
std::string too_large(const Training& training, const StepForecast& step);

}  // namespace collcast::workloads
