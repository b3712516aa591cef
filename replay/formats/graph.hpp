// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/source/recorded.hpp"

namespace collcast {

/// An activity that may begin when others have ended, of a format that states dependencies instead of an
/// order.
struct Node {
  std::uint64_t id = 0;
  Activity what;      ///< compute, send, receive or collective; `add_graph` sets its stream and request
  bool host = false;  ///< computes beside the device, if other nodes compute there
  std::vector<std::uint64_t> after;
};

/// Puts a rank's nodes on streams, each after those that it depends on and beside all others. Computation
/// goes to stream 0, unless it would then wait for a message that it does not depend on; then it goes to
/// another stream, and shares the processor with stream 0. Messages get streams of their own, each
/// communicator's collectives get one stream, and the host's nodes get one. Returns how many dependencies are
/// on missing nodes. Throws InputError that starts with `where` if an id occurs twice or the dependencies are
/// circular.
std::int64_t add_graph(RecordedSource& source, Rank rank, std::vector<Node> nodes, const std::string& where);

/// To be called after all ranks' graphs. Messages of one sender, receiver and tag match in the order in which
/// their nodes begin; if that is not known, those after fewer communications come first. Messages that are on
/// several streams of a rank get tags of their own to match so.
void match_in_order(RecordedSource& source);

}  // namespace collcast
