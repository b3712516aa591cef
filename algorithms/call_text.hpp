// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace collcast {

/// How users write the parameters of one call of an algorithm. Empty: not said.
struct CallText {
  std::string root;                 ///< 0, or the imported file's
  std::string radix;                ///< 2
  std::string segment;              ///< a size or "auto": auto on a platform, 64 KiB without one
  std::string buffer;               ///< a size: no limit
  std::vector<std::string> counts;  ///< of the v-collectives: equal blocks
  std::string channels;             ///< 1
  std::string ranks_per_node;       ///< as many as the platform puts on a node, if that divides the ranks
};

/// For each parameter that was given and that none of these algorithms of a collective takes, a note.
std::vector<std::string> untaken(const CallText& text, Collective collective,
                                 std::span<const Algorithm* const> algorithms);

/// The message that `counts` add up to. Throws InputError if there are none: then the size was forgotten.
Bytes counted_message(const CallText& text, Collective collective, Rank ranks);

/// The call without segments: they depend on the algorithm. `node`: how many ranks the platform puts on a
/// node. Throws InputError unless it makes sense for the collective.
Call plain_call(const CallText& text, Collective collective, Rank ranks, Bytes message, Rank node = 1);
/// The segment for this message; nothing: the fastest. Throws InputError.
std::optional<Bytes> parse_segment(const CallText& text, Bytes message, bool on_platform);
/// A plain call with its segments, where there is no platform. Throws InputError unless the algorithm can
/// serve it.
Call make_call(const Algorithm& algorithm, const CallText& text, const Call& call);

}  // namespace collcast
