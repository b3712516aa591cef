// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/job/forecast.hpp"
#include "workloads/training/training.hpp"

namespace collcast::workloads {

/// A possible limit of a step, and the share of the step's time that it alone would take.
struct LimitShare {
  std::string name;
  double share;
};

/// The forecast of a training step: time = compute + exposed + bubble + waiting + input + checkpoint. With a
/// coordinator, `spans` are those of its last phase; everything else is the mean over its phases.
struct StepForecast : JobForecast {
  Seconds waiting;        ///< of the mean rank for the slowest one
  Seconds input;          ///< waiting for samples
  Seconds checkpoint;     ///< waiting for checkpoints, per step
  Seconds agreement;      ///< time in which a coordinator's ranks agree on what to reduce
  Seconds alone;          ///< the step on one processor, without communication: `step_alone`
  double samples = 0;     ///< of all replicas
  double efficiency = 0;  ///< samples per second and rank, against one processor alone
  MemoryNeed memory;
  /// Arithmetic, memory bandwidth, memory size, communication, and each stage of the input.
  std::vector<LimitShare> bottlenecks;
  Framework framework;  ///< as it was played, after autotuning
};

/// Plays the step's job; with a coordinator, as the mean over the phases that its rounds may have. The
/// interval includes the uncertainty of the prices and of the processor.
StepForecast forecast_step(const Training& training, const PriceOf& price);
/// As above, but played by `play` and bounded by `bound`; autotuning still goes by the prices.
StepForecast forecast_step(const Training& training, const PriceOf& price, const PlayOf& play,
                           const BoundOf& bound);

/// The time, before the first step, in which a rank's parameters and optimizer state reach all ranks that
/// hold the same.
Seconds start_broadcast(const Training& training, const PriceOf& price);

}  // namespace collcast::workloads
