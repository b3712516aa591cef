// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/job/forecast.hpp"
#include "workloads/training/training.hpp"

namespace collcast::workloads {

/// One of what may limit a step, and the part of it that it would fill alone.
struct LimitShare {
  std::string name;
  double share;
};

/// A training step as it was forecast: time = compute + exposed + bubble + waiting + input + checkpoint.
/// `spans` are those of the last of a coordinator's phases; all else is of the mean.
struct StepForecast : JobForecast {
  Seconds waiting;        ///< of the mean rank for the slowest
  Seconds input;          ///< for samples, where they come slower than the step takes them
  Seconds checkpoint;     ///< in the mean of the steps between two
  Seconds agreement;      ///< of a coordinator on what to reduce
  Seconds alone;          ///< the step on one processor, without communication
  double samples = 0;     ///< of all replicas
  double efficiency = 0;  ///< samples per second and rank, against one processor alone
  MemoryNeed memory;
  /// Arithmetic, memory bandwidth, memory size, communication, and each stage of the input.
  std::vector<LimitShare> bottlenecks;
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
