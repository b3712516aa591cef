// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/job/player.hpp"
#include "workloads/job/summary.hpp"
#include "workloads/training/training.hpp"

namespace collcast::workloads {

/// One of what may limit a step, and the part of it that it would fill alone.
struct LimitShare {
  std::string name;
  double share;
};

/// What a step waits for beside its job.
struct Wait {
  std::string name;
  Seconds time;
};

/// A training step as it was forecast: time = compute + exposed + waiting + input + checkpoint.
struct StepForecast {
  Seconds time, low, high;
  Seconds compute;        ///< of one rank, undisturbed
  Seconds exposed;        ///< communication, and a pipeline's bubbles
  Seconds waiting;        ///< of the mean rank for the slowest
  Seconds input;          ///< for samples, where they come slower than the step takes them
  Seconds checkpoint;     ///< in the mean of the steps between two
  Seconds hidden;         ///< communication beneath computation
  Seconds communication;  ///< all that is under way
  Seconds agreement;      ///< of a coordinator on what to reduce
  Seconds alone;          ///< the step on one processor, without communication
  double samples = 0;     ///< of all replicas
  double efficiency = 0;  ///< samples per second and rank, against one processor alone
  MemoryNeed memory;
  std::string limited_by;
  /// Arithmetic, memory bandwidth, memory size, communication, and each stage of the input.
  std::vector<LimitShare> bottlenecks;
  std::vector<Wait> waits;  ///< waiting, input and checkpoint, as far as there are any
  std::vector<Span> spans;  ///< of the last of those phases; none where messages were played
  /// Where the step goes, in the mean of the phases: what each role exposes adds up to `time`. None where
  /// messages were played.
  std::vector<ActivitySummary> activities;
  Framework framework;  ///< as it was played: of autotuning what it ends with
};

/// Plays the step's job; of a coordinator over the phases that its rounds may have, in the mean. The interval
/// holds the prices' and the processor's uncertainty.
StepForecast forecast_step(const Training& training, const PriceOf& price);
/// The same played otherwise; what autotuning ends with is asked of the prices.
StepForecast forecast_step(const Training& training, const PriceOf& price, const PlayOf& play);

/// Before the first step: a rank's parameters and optimizer state reach all that hold the same.
Seconds start_broadcast(const Training& training, const PriceOf& price);

}  // namespace collcast::workloads
