// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace collcast {

/// Index of a record in one of the player's pools.
using Index = std::uint32_t;
inline constexpr Index no_index = ~Index{0};

/// What happens at an instant, and to which record.
struct Event {
  enum class Kind : std::uint32_t {
    computed,   ///< a computation or a pause has ended
    met,        ///< a meeting may be over
    injected,   ///< the sender of a message has paid its overhead
    admitted,   ///< a message has reached its port, as its sender is through with those before it
    left,       ///< the last byte of a message has left its sender
    arrived,    ///< the last byte of a message has arrived
    received,   ///< the receiver of a message has paid its overhead
    reduced,    ///< a message has been reduced into the receiver's data
    network_a,  ///< a, b, c: for the backend's own use
    network_b,
    network_c,
  };
  Kind kind;
  Index index;
};

}  // namespace collcast
