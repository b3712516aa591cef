// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "forecast/sweep/space.hpp"
#include "platforms/description/description.hpp"
#include "workloads/training/training.hpp"

namespace collcast::workloads {

/// A training step as users describe it. Without a batch it has 32 samples per replica.
struct TrainingText {
  std::string model, framework = "ddp", precision = "fp32", policy, batch, throughput, slowdown = "0",
                     noise = "0", input, checkpoint, global_batch, layer_times;
};

/// One setting of a training step, by its key in sweeps; its option has dashes for underscores.
struct TrainingSetting {
  const char* key;
  sweep::Kind kind;
  std::string TrainingText::*text;
  void (*put)(Training& training, const std::string& text);  ///< throws InputError
};
/// All settings but the policy.
std::span<const TrainingSetting> training_settings();

/// The step on a platform; its number of ranks is not set. Throws InputError.
Training described(const TrainingText& text, const Description& platform);

}  // namespace collcast::workloads
