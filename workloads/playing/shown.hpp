// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "forecast/report/report.hpp"
#include "forecast/sweep/sweep.hpp"

/// How reports show rows of jobs, training steps and replays.
namespace collcast::workloads {

/// The columns of jobs or training steps that any of the rows fills; `time`: the name of the time column.
std::vector<report::Column> run_columns(const std::string& time, const Json& rows);
/// The columns of times in tables of `train`, `job` or `replay`.
std::vector<report::Column> time_columns(const std::string& verb);

/// Adds to a report of training steps the memory that a rank of each row needs, before what limits it.
void tell_memory(report::Report& report);
/// Adds a note if one measured throughput stands for platforms, models, precisions or batches that differ.
void tell_throughput(report::Report& report, const std::string& throughput,
                     const std::vector<std::string>& differ);
/// Adds to a report of training steps which of its rows do not fit into memory. Returns whether all do.
bool tell_what_fits(report::Report& report);

/// Takes the column of idle time out of replays in which no rank is idle for a thousandth of the time, which
/// then counts as exposed. Returns whether it stays.
bool shows_idle(report::Section& runs);

/// All of this that a sweep's report needs. Returns whether every step fits into memory.
bool complete(report::Report& report, const sweep::Sweep& asked);

}  // namespace collcast::workloads
