// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "workloads/playing/replay_text.hpp"

namespace collcast::cli {

/// The trace's files, and --steps.
void add_trace_files(CLI::App& verb, std::vector<std::string>& files, std::string& steps);

using workloads::steps;

}  // namespace collcast::cli
