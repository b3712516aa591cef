// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "execution/mpi/timing.hpp"
#include "model/units.hpp"
#include "support/json.hpp"

namespace collcast::mpi {

/// Messages between rank 0, the hub, and each of ranks 1 to `ranks` - 1, in turn.
struct Star {
  bool out = true, in = false;  ///< messages from the hub, to the hub, or both at once
  Bytes message;
  int ranks = 2;
  int window = 1;  ///< messages that each other rank gets, or sends
};

/// Reads {"collective": "fan-out", "fan-in" or "exchange", "ranks", "window", "message_bytes"}. Throws
/// InputError that begins with `where`.
Star parse_star(const Json& json, const std::string& where);

/// Whether a request asks for a star.
bool is_star(const Json& json);

/// Times of all messages together, from the common start until the last one has arrived. Collective. Throws
/// InputError if there are fewer ranks than the star has.
Times measure_star(const Star& star, const Effort& effort, const Communicator& world,
                   const SharedClock& clock);

}  // namespace collcast::mpi
