// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/mpi/options.hpp"
#include "cli/mpi/overlap.hpp"
#include "execution/mpi/multicast/ip_multicast.hpp"
#include "execution/mpi/timing.hpp"

namespace collcast::mpi {

struct Outcome {
  Job job;
  std::string type;  ///< of the elements
  bool checked = false;
  Times times;
};

/// What was measured, the packets of all ranks' IP multicasts if there were any, and where the messages were:
/// "host" or "device", and whether the device was emulated in host memory.
struct Report {
  std::vector<Outcome> outcomes;
  std::optional<PacketCounts> packets;
  const char* buffers = "host";
  bool emulated = false;
};

void print_table(const Report& report);
void print_json(const Report& report);
void print_table(const std::vector<OverlapOutcome>& outcomes);
void print_json(const std::vector<OverlapOutcome>& outcomes);

}  // namespace collcast::mpi
