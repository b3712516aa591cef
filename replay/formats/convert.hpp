// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "replay/source/source.hpp"

namespace collcast {

/// Each writes the source in another format, and returns what that format cannot hold.
using Losses = std::vector<Loss>;
/// Whether a format holds a collective of the source that it was asked for.
using Holds = std::function<bool(const Activity&)>;

/// Adds that the application kept its data in GPU memory, that NCCL sent them and that it ends early, for
/// formats that are read as of MPI, in host memory, and whole.
void add_lost_facts(Losses& losses, const Source& source);
/// Adds where it kept its data and who sent them, for formats in which attributes of ours say so where others
/// take GPUs and NCCL; and that it ends early.
void add_facts_of_ours(Losses& losses, const Source& source);

/// One .cct file. Streams are merged; what a collective was called is lost.
Losses write_cct(const Source& source, const std::string& path);

/// Whether SMPI's time-independent format has an action for it: of all ranks, in their order; in equal parts,
/// or those that every rank knows.
Holds time_independent_holds(const Source& source);
/// One file of that format for all ranks; a flop is 1 ns of computation. Collectives that it does not hold
/// are lost, and those that hold nobody up hold up.
Losses write_time_independent(const Source& source, const std::string& path);

/// Whether Chakra has a type for it: in equal parts, on a communicator in the world's order.
Holds chakra_holds(const Source& source);
std::string chakra_file(const std::string& prefix, Rank rank);
/// One Chakra .et per rank: `prefix`.RANK.et. A process group is named by its number; its members are the
/// ranks that use it. Collectives that Chakra does not hold are lost.
Losses write_chakra(const Source& source, const std::string& prefix);

}  // namespace collcast
