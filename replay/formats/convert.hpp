// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "replay/source/source.hpp"

namespace collcast {

/// Each writes the source in another format, and returns what that format cannot hold.
using Losses = std::vector<Loss>;

/// One .cct file. Streams are merged; what a collective was called is lost.
Losses write_cct(const Source& source, const std::string& path);

/// One file of SMPI's time-independent format for all ranks; a flop is 1 ns of computation. Collectives of
/// communicators that lack ranks are lost, and those that hold nobody up hold up.
Losses write_time_independent(const Source& source, const std::string& path);

/// One Chakra .et per rank: `prefix`.RANK.et. A process group is named by its number; who is in it is lost.
Losses write_chakra(const Source& source, const std::string& prefix);

}  // namespace collcast
