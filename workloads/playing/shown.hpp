// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "forecast/report/report.hpp"
#include "forecast/sweep/sweep.hpp"

/// How reports show rows of jobs, training steps and replays.
namespace collcast::workloads {

/// The columns of jobs or training steps in which any row has a value. `time`: the title of the time column.
std::vector<report::Column> run_columns(const std::string& time, const Json& rows);
/// The columns of times in tables of `train`, `job` or `replay`.
std::vector<report::Column> time_columns(const std::string& verb);

/// Adds to a report of training steps a column of the memory that a rank needs, before the column of what
/// limits the step.
void tell_memory(report::Report& report);
/// Adds a note if one measured throughput is used for platforms, models, precisions or batches that differ.
void tell_throughput(report::Report& report, const std::string& throughput,
                     const std::vector<std::string>& differ);
/// Adds to a report of training steps which of its rows do not fit into memory. Returns whether all do.
bool tell_what_fits(report::Report& report);

/// Removes the column of idle time if no rank is idle for a thousandth of the time; idle time then counts as
/// exposed. Returns whether the column stays.
bool shows_idle(report::Section& runs);

/// Makes all of these additions that a sweep's report needs. Returns whether every step fits into memory.
bool complete(report::Report& report, const sweep::Sweep& asked);

}  // namespace collcast::workloads
