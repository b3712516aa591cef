// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "replay/source/source.hpp"

namespace collcast {

/// Each writes the source in another format, and returns what that format cannot hold.
using Losses = std::vector<Loss>;
/// Whether a format holds a collective of the source that this was made for.
using Holds = std::function<bool(const Activity&)>;

/// Adds what a format cannot say if it is read as complete, by MPI and in host memory: that the application
/// kept its data in GPU memory, that NCCL sent them, and that the trace ends early.
void add_lost_facts(Losses& losses, const Source& source);
/// The same for formats in which only our own attributes say where data were kept and who sent them: other
/// tools take GPUs and NCCL.
void add_facts_of_ours(Losses& losses, const Source& source);

/// One .cct file. Streams are merged; what a collective was called is lost.
Losses write_cct(const Source& source, const std::string& path);

/// Whether SMPI's time-independent format has an action for a collective: it is of all ranks, in their order,
/// and has equal parts or parts that every rank knows.
Holds time_independent_holds(const Source& source);
/// One time-independent file for all ranks; a flop is 1 ns of computation. Collectives that the format does
/// not hold are lost. Nonblocking collectives become blocking.
Losses write_time_independent(const Source& source, const std::string& path);

/// Whether Chakra has a type for a collective: it has equal parts, and its communicator is in the world's
/// order.
Holds chakra_holds(const Source& source);
std::string chakra_file(const std::string& prefix, Rank rank);
/// One Chakra .et per rank: `prefix`.RANK.et. A process group is named by its number; its members are the
/// ranks that use it. Collectives that Chakra does not hold are lost.
Losses write_chakra(const Source& source, const std::string& prefix);

}  // namespace collcast
