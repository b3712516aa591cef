// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "model/layout.hpp"

namespace collcast {

/// Every algorithm, by collective. The command line, the tests and the docs read this table.
std::span<const Algorithm* const> catalogue();

/// The algorithms of one collective.
std::vector<const Algorithm*> algorithms(Collective collective);

/// Throws InputError with the names that exist.
const Algorithm& algorithm(Collective collective, std::string_view name);

/// Throws InputError unless the call makes sense for the collective.
void check(Collective collective, const Call& call);
/// Throws InputError unless the algorithm can serve the call.
void check(const Algorithm& algorithm, const Call& call);

/// How large the blocks of the algorithm's schedule are in this call.
Layout layout(const Algorithm& algorithm, const Call& call, const Schedule& schedule);

/// The least number of ranks that it supports from 4 on; below, where a file holds it for fewer.
Rank a_few_ranks(const Algorithm& algorithm);

/// What an algorithm asks of the network beyond messages from one place to another.
struct Demands {
  bool multicast = false;      ///< replicates messages
  bool reduction = false;      ///< reduces messages on their way
  bool between_nodes = false;  ///< not only those between ranks of one node
};
Demands demands(const Algorithm& algorithm);

}  // namespace collcast
