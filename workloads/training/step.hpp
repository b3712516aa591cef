// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/job/player.hpp"
#include "workloads/training/training.hpp"

namespace collcast::workloads {

/// A training step as it was forecast.
struct StepForecast {
  Seconds time, low, high;
  Seconds compute;        ///< of one rank, undisturbed
  Seconds exposed;        ///< time - compute
  Seconds hidden;         ///< communication beneath computation
  Seconds alone;          ///< the step on one processor, without communication
  double samples = 0;     ///< of all replicas
  double efficiency = 0;  ///< samples per second and rank, against one processor alone
  MemoryNeed memory;
  std::string limited_by;
  std::vector<Span> spans;  ///< of the last of those phases
};

/// Plays the step's job; of a coordinator over the phases that its rounds may have, in the mean. The interval
/// holds the prices' and the processor's uncertainty.
StepForecast forecast_step(const Training& training, const PriceOf& price);

}  // namespace collcast::workloads
