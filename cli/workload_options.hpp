// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "workloads/playing/replay_text.hpp"
#include "workloads/playing/training_text.hpp"

namespace collcast::cli {

/// A trace's files, and --steps.
void add_trace_files(CLI::App& verb, std::vector<std::string>& files, std::string& steps);

/// The other options of a replay.
void add_replay_options(CLI::App& verb, workloads::ReplayText& text);

/// The options of a training step, with --policy. Returns --model, which is required.
CLI::Option* add_training(CLI::App& verb, workloads::TrainingText& text);

}  // namespace collcast::cli
