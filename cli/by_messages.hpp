// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "forecast/report/report.hpp"
#include "replay/application/replay.hpp"
#include "workloads/job/player.hpp"

namespace collcast::cli {

/// --engine of jobs and training steps.
void add_messages(CLI::App& verb, std::string& engine);

/// Plays jobs message by message. What it is made of outlives it.
class ByMessages {
 public:
  ByMessages(const Description& platform, const std::string& engine, std::string policy);

  /// Throws InputError where the job holds what only prices know.
  ReplayReport report(const workloads::Job& job, const Watched& watched = nullptr,
                      bool interval = true) const;
  Seconds time(const workloads::Job& job, Seconds ReplayReport::*end = &ReplayReport::time) const;

 private:
  ReplayOptions options(const Watched& watched) const;
  const Description& platform_;
  const Engine& engine_;
  const std::string policy_;
};

/// Plays training steps so, each phase of a coordinator's rounds as the prices of agreements have them; and
/// keeps what was said of those in the middle of the uncertainty.
struct StepByMessages {
  const ByMessages& by;
  const workloads::PriceOf& price;
  std::vector<ReplayReport> reports = {};
  workloads::Job last = {};  ///< that was played in the middle, for pictures

  workloads::Played operator()(const workloads::Job& job, workloads::End end);
  /// Along the chains of causes, in the mean of the phases; none where one has too many messages.
  std::vector<Share> causes() const;
};

/// What was played otherwise than asked, or not at all; each thing once.
void add_notes(report::Report& report, const ReplayReport& played);

}  // namespace collcast::cli
