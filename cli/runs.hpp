// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/output.hpp"
#include "cli/pictures.hpp"
#include "workloads/playing/playing.hpp"

namespace collcast::cli {

/// How forecasts of jobs and training steps are shown.
struct Shown {
  Pictures pictures;
  bool explain = false;
  Format format = Format::table;
};

/// Forecasts of a job or a training step on several numbers of ranks, collected for a report.
class Runs {
 public:
  /// `count`: how many numbers of ranks there are. `platform` has to outlive this. Throws InputError for what
  /// cannot be played or shown.
  Runs(const Description& platform, const workloads::HowPlayed& how, const Shown& shown, std::size_t count);

  workloads::Playing& playing() { return playing_; }
  /// Adds a forecast, with the job that was played and its row.
  void add(const workloads::Job& job, const std::string& name, const workloads::JobForecast& forecast,
           Json row);
  /// The report. `title`: its first words. `time`: the title of the time column.
  report::Report report(Json head, const std::string& title, const std::string& time);
  /// The page of the report.
  void write_page(const report::Report& report);

 private:
  void explain(Rank ranks, const workloads::JobForecast& forecast);
  void show(const workloads::Job& job, const std::string& name, const workloads::JobForecast& forecast);
  void write_explanation(report::Report& report);

  const Description& platform_;
  const std::string engine_;
  const Shown& shown_;
  workloads::Playing playing_;
  Canvas canvas_;
  const bool alone_;  ///< a single number of ranks is asked for
  Json rows_ = Json::array(), activities_ = Json::array(), causes_ = Json::array();
  bool incomplete_ = false;  ///< some causes are not known
  std::vector<std::string> notes_;
  std::vector<report::Figure> pictures_;
  Seconds seen_;  ///< the time of the run that was observed for pictures, if one was
};

/// What a reader should know if some row is not calibrated; empty if all are. `platform`: as the user named
/// it.
std::string not_calibrated(const report::Report& report, const std::string& platform);

/// What limits the last of a report's rows.
std::string limit_of(const report::Report& report);

}  // namespace collcast::cli
