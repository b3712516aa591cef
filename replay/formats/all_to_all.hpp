// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "replay/source/recorded.hpp"

/// All-to-alls in which a rank says the proportions of what it sends to and receives from each member.
namespace collcast {

/// Gives an all-to-all of `ranks` its parts: `in` bytes sent and `out` received, in these proportions (none:
/// equal). Leaves the call as it is if the proportions are not for all members.
void set_parts(Activity& call, const std::vector<int>& sent, const std::vector<int>& received, Bytes in,
               Bytes out, Rank ranks);

/// Keeps the parts of all-to-alls if all members say theirs and the parts differ. If some members say none,
/// nobody knows who gets what; a note counts these calls.
void compare_parts(RecordedSource& source);

}  // namespace collcast
