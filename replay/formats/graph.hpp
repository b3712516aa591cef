// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/source/recorded.hpp"

namespace collcast {

/// An activity that may begin when others have ended: what formats hold that say dependencies instead of an
/// order.
struct Node {
  std::uint64_t id = 0;
  Activity what;      ///< compute, send, receive or collective; its stream and request are found for it
  bool host = false;  ///< computes beside the device, if other nodes compute there
  std::vector<std::uint64_t> after;
};

/// Puts a rank's nodes on streams, each after those that it depends on and beside all others: on stream 0
/// what computes, as far as that lets no node wait for a message that it does not depend on, and on others
/// the rest, which computes there as stream 0 lets it; messages on streams of their own, collectives on one
/// for each communicator, the host's on one. Returns how many dependencies are on nodes that are not there.
/// Throws InputError that starts with `where` if an id is there twice or the dependencies are circular.
std::int64_t add_graph(RecordedSource& source, Rank rank, std::vector<Node> nodes, const std::string& where);

/// After all ranks' graphs: messages of one sender, receiver and tag match in the order in which nodes begin,
/// or where that is not known, are after the fewest communications. Those that are on several streams of a
/// rank get tags of their own for it.
void match_in_order(RecordedSource& source);

}  // namespace collcast
