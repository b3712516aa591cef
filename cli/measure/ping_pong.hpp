// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/json.hpp"

#include "execution/mpi/timing.hpp"
#include "model/units.hpp"

namespace collcast::mpi {

/// Messages between ranks i and i + p/2, for i < pairs, side by side.
struct PingPong {
  enum class Test {
    latency,             ///< there and back: half of the round trip
    bandwidth,           ///< `window` messages there, and one byte back
    both_ways_bandwidth  ///< `window` messages there while as many come back, and one byte back
  };
  Test test = Test::latency;
  Bytes message;
  int pairs = 1;
  int window = 1;
};

/// Reads {"collective": "latency", "bandwidth" or "both-ways bandwidth", "pairs", "window", "message_bytes"}.
/// Throws InputError that begins with `where`.
PingPong parse_ping_pong(const Json& json, const std::string& where);

/// Whether a request asks for a ping-pong.
bool is_ping_pong(const Json& json);

/// Times of one message. Collective. Throws InputError unless there are two ranks for each pair.
Times measure_ping_pong(const PingPong& ping_pong, const Effort& effort, const Communicator& world,
                        const SharedClock& clock);

}  // namespace collcast::mpi
