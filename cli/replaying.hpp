// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "platforms/description/description.hpp"
#include "support/json_fwd.hpp"
#include "workloads/playing/replay_text.hpp"

namespace collcast::cli {

using workloads::ReplayText;

/// --fusion, --cycle, --bucket, --nonblocking, --offload, --pieces, --delivery, --ranks, --algorithm,
/// --policy, --engine, --placement, --compute-scale and --memory.
void add_replaying(CLI::App& verb, ReplayText& text);

/// The answer as a row: times, nodes, and the collective that takes most time.
Json replay_row(const Source& trace, const Description& platform, const ReplayOptions& options,
                const ReplayReport& report);

}  // namespace collcast::cli
