// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "replay/application/replay.hpp"
#include "replay/formats/formats.hpp"

namespace collcast::workloads {

/// A replay as users describe it.
struct ReplayText {
  std::vector<std::string> files, algorithms;
  std::string steps, fusion, cycle, bucket, nonblocking, offload,
      pieces = "1", delivery = "staged", ranks, placement = "block", engine{contention_engine().name}, policy,
      compute_scale = "1";
  std::string memory;  ///< "host" or "device"; empty: as the trace says
};

/// Options for the steps "3-5" or "4"; empty: all steps. Throws InputError for other texts.
OpenOptions steps(const std::string& text);

/// Opens the replay's trace, on as many ranks as it was recorded on, or on others.
Trace open_replayed(const ReplayText& text);

/// Throws InputError.
ReplayOptions replay_options(const ReplayText& text);

}  // namespace collcast::workloads
