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

/// Puts a rank's nodes on streams, each after those that it depends on, the earliest begun first: on stream 0
/// what computes, on 1 collectives, on 2 messages, on 3 the host. What is on one stream is in order, so a
/// node may wait for more than its own dependencies. Returns how many dependencies are on nodes that are not
/// there. Throws InputError that starts with `where` if an id is there twice or the dependencies are
/// circular.
std::int64_t add_graph(RecordedSource& source, Rank rank, std::vector<Node> nodes, const std::string& where);

}  // namespace collcast
