// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "model/layout.hpp"

namespace collcast {

/// All algorithms (rows.hpp). The command line, the tests and the documentation read this table.
std::span<const Algorithm* const> catalogue();

/// The algorithms of one collective.
std::vector<const Algorithm*> algorithms(Collective collective);

/// By name. Throws InputError, which suggests a name.
const Algorithm& algorithm(Collective collective, std::string_view name);

/// Throws InputError unless the call is valid for the collective.
void check(Collective collective, const Call& call);
/// Throws InputError unless the algorithm can serve the call.
void check(const Algorithm& algorithm, const Call& call);
/// What the algorithm requires of the numbers of ranks and nodes that the call does not have; empty if
/// nothing.
std::string unmet(const Algorithm& algorithm, const Call& call);

/// The sizes of the blocks of the algorithm's schedule in this call.
Layout layout(const Algorithm& algorithm, const Call& call, const Schedule& schedule);

/// A small number of ranks that the algorithm supports: the least from 4 on, or below 4 if the algorithm
/// comes from a file for fewer.
Rank a_few_ranks(const Algorithm& algorithm);

/// What an algorithm needs of the network besides messages between two places.
struct Demands {
  bool multicast = false;      ///< switches that replicate messages
  bool reduction = false;      ///< switches that reduce messages
  bool between_nodes = false;  ///< between nodes, not only within one
};
Demands demands(const Algorithm& algorithm);

}  // namespace collcast
