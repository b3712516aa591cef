// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "forecast/group.hpp"
#include "replay/application/replay.hpp"
#include "workloads/training/step.hpp"

namespace collcast::workloads {

/// How jobs are played: the policy that chooses and sends (empty: the usual one), the engine that plays
/// messages (empty: none, collectives are single operations), and how DPUs work.
struct HowPlayed {
  std::string policy, engine = {};
  int pieces = 1;
  bool direct = false;
  std::function<void(Seconds, std::int64_t)> progress = nullptr;  ///< of playing messages
};

/// Throws InputError if `how` says how DPUs work although the job hands them nothing.
void require_offload(const HowPlayed& how, const Job& job);

/// Forecasts jobs and training steps on a platform, which has to outlive this object. Collectives have
/// prices, or are played message by message; a coordinator's rounds always go by prices.
class Playing {
 public:
  /// Throws InputError for an unknown policy or engine.
  Playing(const Description& platform, const HowPlayed& how);
  Playing(const Playing&) = delete;
  Playing& operator=(const Playing&) = delete;

  /// Both throw InputError if messages are to be played and the job has something that only prices model.
  JobForecast forecast(const Job& job);
  StepForecast forecast(const Training& training);
  /// The time alone, without its interval.
  Seconds time(const Job& job);
  Seconds time(const Training& training);

  const PriceOf& price() const { return price_; }
  const std::string& policy() const { return forecaster_.policy(); }
  bool by_messages() const { return engine_ != nullptr; }
  /// Where the time of the last forecast goes along the chains of causes, in the mean over its phases, with
  /// the other waits of the step. Empty if there were too many messages.
  std::vector<Share> causes(const std::vector<Wait>& waits) const;
  /// Plays the messages of the last forecast again and shows them to an observer.
  Seconds watch(const Watched& watched) const;
  /// Notes on what was played or priced otherwise than asked, or not at all.
  std::vector<std::string> notes() const;

 private:
  Played play(const Job& job, End end, bool interval);
  PlayOf player(bool interval);
  BoundOf bounds();
  ReplayOptions options() const;

  const Description& platform_;
  const Engine* engine_ = nullptr;
  GroupForecaster forecaster_;
  const PriceOf price_;
  std::vector<ReplayReport> reports_;  ///< replays of the last forecast, on the platform as described
  Job last_;                           ///< the last forecast's job
  std::vector<std::string> notes_;
  const std::function<void(Seconds, std::int64_t)> progress_;
};

}  // namespace collcast::workloads
