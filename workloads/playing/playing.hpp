// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "forecast/group.hpp"
#include "replay/application/replay.hpp"
#include "workloads/training/step.hpp"

namespace collcast::workloads {

/// Who chooses and sends (empty: who usually does), what plays the messages (empty: nobody, collectives are
/// single operations), and how DPUs work.
struct HowPlayed {
  std::string policy, engine = {};
  int pieces = 1;
  bool direct = false;
  std::function<void(Seconds, std::int64_t)> progress = nullptr;  ///< of messages that are played
};

/// Throws InputError where it says how DPUs work, and the job hands them nothing.
void require_offload(const HowPlayed& how, const Job& job);

/// Plays jobs and training steps on a platform, which outlives it: by the prices of their collectives, or
/// message by message, each phase of a coordinator's rounds then as the prices of agreements have them.
class Playing {
 public:
  /// Throws InputError for a policy or an engine that there is not.
  Playing(const Description& platform, const HowPlayed& how);
  Playing(const Playing&) = delete;
  Playing& operator=(const Playing&) = delete;

  /// Throw InputError where the job holds what only prices know.
  JobForecast forecast(const Job& job);
  StepForecast forecast(const Training& training);
  /// Without the interval.
  Seconds time(const Job& job);
  Seconds time(const Training& training);

  const PriceOf& price() const { return price_; }
  const std::string& policy() const { return forecaster_.policy(); }
  bool by_messages() const { return engine_ != nullptr; }
  /// Of the last forecast: along the chains of causes, in the mean of the phases, with what else the step
  /// waits for; none where one has too many messages.
  std::vector<Share> causes(const std::vector<Wait>& waits) const;
  /// Plays its messages once more for who watches.
  Seconds watch(const Watched& watched) const;
  /// What was played or priced otherwise than asked, or not at all; each thing once.
  std::vector<std::string> notes() const;

 private:
  Played play(const Job& job, End end, bool interval);
  PlayOf player(bool interval);
  ReplayOptions options() const;

  const Description& platform_;
  const Engine* engine_ = nullptr;
  GroupForecaster forecaster_;
  const PriceOf price_;
  std::vector<ReplayReport> reports_;  ///< of the last forecast, in the middle of the uncertainty
  Job last_;                           ///< of those
  std::vector<std::string> notes_;
  const std::function<void(Seconds, std::int64_t)> progress_;
};

}  // namespace collcast::workloads
