// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace collcast::mpi {

/// An IP multicast group, and the network interface to reach it (empty: the system's choice).
struct GroupAddress {
  std::uint32_t group = 0;  ///< in network order
  std::uint16_t port = 0;
  std::string interface;
  std::string words() const;
};

/// "239.1.2.3:5000" or "239.1.2.3:5000%eth0". Throws InputError.
GroupAddress parse_group(const std::string& text);

}  // namespace collcast::mpi
