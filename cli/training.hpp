// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "workloads/playing/training_text.hpp"

namespace collcast::cli {

/// Returns --model, which is required.
CLI::Option* add_training(CLI::App& verb, workloads::TrainingText& text);

}  // namespace collcast::cli
