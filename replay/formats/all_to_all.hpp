// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "replay/source/recorded.hpp"

/// All-to-alls of which a rank says in what proportions it sends to and receives from each member.
namespace collcast {

/// Gives an all-to-all of `ranks` its parts: `in` bytes sent and `out` received, in these proportions (none:
/// equal). Leaves it as it is where they are not those of all members.
void set_parts(Activity& call, const std::vector<int>& sent, const std::vector<int>& received, Bytes in,
               Bytes out, Rank ranks);

/// Keeps the parts of all-to-alls where all members say theirs and they differ; of fewer, nobody knows who
/// gets what, and a note counts them.
void compare_parts(RecordedSource& source);

}  // namespace collcast
