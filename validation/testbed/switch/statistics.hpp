// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "validation/testbed/switch/fabric.hpp"

namespace collcast::testbed {

/// What the switch has done since it began. All numbers except the largest lateness can be subtracted from
/// those of a later state.
struct Statistics {
  std::uint64_t delivered = 0;
  Seconds lateness, max_lateness;  ///< of deliveries behind their virtual time: sum and largest
  std::uint64_t late = 0;          ///< deliveries later than 100 us
  std::uint64_t lost = 0;          ///< datagrams dropped by the configured loss
  std::uint64_t refused = 0;       ///< frames that a host did not take, as its interface was down
  std::uint64_t strays = 0;        ///< frames for no host of this network

  void deliver(Seconds lateness);
};

std::string json(const Statistics& statistics, const Fabric& fabric);

}  // namespace collcast::testbed
