// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "validation/testbed/switch/frame_queue.hpp"
#include "validation/testbed/switch/layout.hpp"

namespace collcast::testbed {

/// The network that `scripts/testbed up` asks the switch for.
struct Description {
  std::vector<std::string> namespaces;  ///< files, one per host
  BytesPerSecond rate, uplink;
  Seconds latency;
  Host racks = 1;
  Discipline queue = Discipline::fifo;
  double loss = 0;  ///< share of UDP datagrams that each receiver loses
  bool multicast = true;
  std::size_t mtu = 0;  ///< largest IP packet, bytes
};

/// Reads the JSON file. Throws InputError.
Description describe(const std::string& file);

}  // namespace collcast::testbed
