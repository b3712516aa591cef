// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "replay/formats/formats.hpp"

namespace collcast::cli {

/// The trace's files, and --steps.
void add_trace_files(CLI::App& verb, std::vector<std::string>& files, std::string& steps);

/// "3-5" or "4"; all of them if empty. Throws InputError otherwise.
OpenOptions steps(const std::string& text);

}  // namespace collcast::cli
