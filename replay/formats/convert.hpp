// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "replay/source/source.hpp"

namespace collcast {

/// Each writes the source in another format, and returns what that format cannot hold.
using Losses = std::vector<Loss>;

/// Adds where the application kept its data and who sent it, if not as those who read the format take it:
/// files of host memory are MPI's, of device memory NCCL's.
void add_lost_home(Losses& losses, const Source& source, Memory taken);

/// One .cct file. Streams are merged; what a collective was called is lost.
Losses write_cct(const Source& source, const std::string& path);

/// One file of SMPI's time-independent format for all ranks; a flop is 1 ns of computation. Collectives of
/// communicators that lack ranks are lost, and those that hold nobody up hold up. Parts that differ are kept
/// where every rank knows all of them.
Losses write_time_independent(const Source& source, const std::string& path);

std::string chakra_file(const std::string& prefix, Rank rank);
/// One Chakra .et per rank: `prefix`.RANK.et. A process group is named by its number; its members are the
/// ranks that use it, and their order is lost.
Losses write_chakra(const Source& source, const std::string& prefix);

}  // namespace collcast
