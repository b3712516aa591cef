// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "algorithms/call_text.hpp"

namespace collcast::cli {

/// The options of a call. `on_platform`: segments and ranks per node default to the platform's.
void add_call_options(CLI::App& verb, CallText& options, bool on_platform = true);

}  // namespace collcast::cli
