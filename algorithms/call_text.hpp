// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace collcast {

/// The parameters of a call as users write them. An empty text stands for the default in the comment.
struct CallText {
  std::string root;                 ///< 0, or the imported file's
  std::string radix;                ///< 2
  std::string segment;              ///< a size or "auto": auto on a platform, 64 KiB without one
  std::string buffer;               ///< a size; no limit
  std::vector<std::string> counts;  ///< of v-collectives; equal blocks
  std::string channels;             ///< 1
  std::string ranks_per_node;       ///< those of the platform, if they divide the ranks
};

/// A note for each given parameter that none of these algorithms takes. `chooser`: the name of what sets all
/// parameters itself, whatever the algorithm; empty: nothing does.
std::vector<std::string> untaken(const CallText& text, Collective collective,
                                 std::span<const Algorithm* const> algorithms,
                                 const std::string& chooser = {});

/// The message size to which `counts` add up. Throws InputError if there are no counts, as the size is
/// missing then.
Bytes counted_message(const CallText& text, Collective collective, Rank ranks);

/// The call without segments, which depend on the algorithm. `node`: the platform's ranks per node. Throws
/// InputError unless the call is valid for the collective.
Call plain_call(const CallText& text, Collective collective, Rank ranks, Bytes message, Rank node = 1);
/// Whether the segment that was asked for is larger than the message, to which it then cannot be applied.
bool segment_exceeds(const CallText& text, Bytes message);
/// The segment for this message; empty if the fastest one is wanted. Throws InputError.
std::optional<Bytes> parse_segment(const CallText& text, Bytes message, bool on_platform);
/// A plain call with its segments, without a platform. Throws InputError unless the algorithm can serve it.
Call make_call(const Algorithm& algorithm, const CallText& text, const Call& call);

}  // namespace collcast
