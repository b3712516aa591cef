// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platforms/description/description.hpp"
#include "replay/application/replay.hpp"
#include "replay/formats/formats.hpp"
#include "support/json_fwd.hpp"

namespace collcast::cli {

/// A replay as users describe it.
struct ReplayText {
  std::vector<std::string> files, algorithms;
  std::string steps, fusion, cycle, bucket, nonblocking, offload,
      pieces = "1", delivery = "staged", ranks, placement = "block", engine{contention_engine().name}, policy;
  std::optional<Memory> memory;
  double compute_scale = 1;
};

/// --fusion, --cycle, --bucket, --nonblocking, --offload, --pieces, --delivery, --ranks, --algorithm,
/// --policy, --engine, --placement,
/// --compute-scale and --memory.
void add_replaying(CLI::App& verb, ReplayText& text);

/// Its trace, on the ranks that it was recorded on or others.
Trace open_replayed(const ReplayText& text);

/// Throws InputError.
ReplayOptions replay_options(const ReplayText& text);

/// The answer as a row: times, where ranks sit, and the collective that takes most.
Json replay_row(const Source& trace, const Description& platform, const ReplayOptions& options,
                const ReplayReport& report);

}  // namespace collcast::cli
