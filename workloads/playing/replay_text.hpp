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

/// "3-5" or "4"; all of them if empty. Throws InputError otherwise.
OpenOptions steps(const std::string& text);

/// Its trace, on the ranks that it was recorded on or others.
Trace open_replayed(const ReplayText& text);

/// Throws InputError.
ReplayOptions replay_options(const ReplayText& text);

}  // namespace collcast::workloads
