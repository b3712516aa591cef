// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace collcast {

/// Index of a record in one of the player's pools.
using Index = std::uint32_t;
inline constexpr Index no_index = ~Index{0};

/// What happens at a moment, and to which record.
struct Event {
  enum class Kind : std::uint32_t {
    computed,   ///< a task of a processor is over
    injected,   ///< a message's sender has paid its overhead
    admitted,   ///< a message comes to its port: its sender is through with those before it
    left,       ///< a message's last byte has left its sender
    arrived,    ///< a message's last byte is there
    received,   ///< a message's receiver has paid its overhead
    reduced,    ///< a message has been reduced into the receiver's data
    network_a,  ///< the network's own
    network_b,
    network_c,
  };
  Kind kind;
  Index index;
};

}  // namespace collcast
