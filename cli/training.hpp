// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>

#include "platforms/description/description.hpp"
#include "support/json_fwd.hpp"
#include "workloads/training/step.hpp"

namespace collcast::cli {

/// A training step as users describe it.
struct TrainingText {
  std::string model, framework = "ddp", precision = "fp32", policy, batch = "32", throughput, slowdown = "0",
                     noise = "0", input, checkpoint;
};

/// Returns --model, which is required.
CLI::Option* add_training(CLI::App& verb, TrainingText& text);

/// One of them, by its option and the key of sweeps.
struct TrainingSetting {
  const char* key;
  std::string TrainingText::*text;
  void (*put)(workloads::Training& training, const std::string& text);  ///< throws InputError
};
/// All but the policy.
std::span<const TrainingSetting> training_settings();

/// The step on a platform, without its ranks. Throws InputError.
workloads::Training described(const TrainingText& text, const Description& platform);

/// The forecast as a row of `train`.
Json row(const workloads::Training& training, const workloads::StepForecast& step);

}  // namespace collcast::cli
