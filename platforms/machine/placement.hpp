// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/description/node_graph.hpp"

namespace collcast {

/// Where each rank is placed.
struct Placement {
  enum Order : std::uint8_t {
    block,        ///< consecutive ranks fill a node, slot by slot
    round_robin,  ///< consecutive ranks sit on consecutive nodes
    by_socket,    ///< consecutive ranks fill a node, alternating between its sockets
    listed,       ///< as listed in a file
  };
  /// A rank's line in the file.
  struct Line {
    int number;
    int node;
    int socket;  ///< -1: the slot is numbered within the node
    int slot;
  };

  // NOLINTNEXTLINE(google-explicit-constructor): an order is a placement
  Placement(Order o = block) : order(o) {}

  /// Whether ranks fill as few nodes as hold them, one after the other.
  bool fills_nodes() const { return order == block && nodes == 0; }

  Order order;
  int nodes = 0;  ///< among which ranks are shared out evenly; 0: as few as hold them
  std::string file = {};
  std::vector<Line> lines = {};  ///< by rank
};

/// Parses "block", "round-robin", "by-socket", each also with a number of nodes ("block:8"), or the path of a
/// file like Open MPI's rankfiles, with a line "rank 0=node3 slot=1" per rank, or "slot=1:0" for the first
/// slot of the second socket. Throws InputError.
Placement parse_placement(const std::string& text);

struct Seat {
  std::uint32_t node;
  std::int32_t slot;
  std::int32_t group = 0;  ///< the group of nodes that share their leaf switches
};

/// The seats by rank, with `group` still 0. Throws InputError for a line that names what the platform does
/// not have.
std::vector<Seat> seats(const Placement& placement, const Blueprint& blueprint, const NodeGraph& graph,
                        Rank ranks);

}  // namespace collcast
