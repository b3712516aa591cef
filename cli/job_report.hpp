// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/output.hpp"
#include "cli/pictures.hpp"
#include "engines/explain.hpp"
#include "forecast/report/page.hpp"
#include "workloads/job/summary.hpp"

namespace collcast::cli {

/// Where the time of jobs goes: each of several numbers of ranks by its activities, or, where messages were
/// played, along the chain of causes.
class Explained {
 public:
  void add(Rank ranks, const std::vector<workloads::ActivitySummary>& activities, Seconds time);
  /// Of no shares there is no explanation, and a note.
  void add(Rank ranks, const std::vector<Share>& causes, Seconds time);
  /// Puts it into a report. As CSV it is what the report has instead of its rows.
  void write(report::Report& report, Format format);

 private:
  Json activities_ = Json::array();
  Json causes_ = Json::array();
  bool incomplete_ = false;
};

/// A timeline of a job whose collectives are single operations: a process per role, whose ranks do the same,
/// with a row per stream.
void show(report::Timeline& timeline, const workloads::Job& job, const std::vector<workloads::Span>& spans);

/// The streams of the first role's ranks; the longest stretches.
report::Figure streams_of(const workloads::Job& job, const std::vector<workloads::Span>& spans);

/// What limits the last of a report's rows.
std::string limit_of(const report::Report& report);

/// The page of a verb whose first section are jobs on several numbers of ranks. `seen`: the time of the run
/// that the canvas watched, if it did.
void write_job_page(Canvas& canvas, const Description& platform, const report::Report& report,
                    std::vector<report::Figure> pictures, Seconds seen, bool by_messages);

}  // namespace collcast::cli
