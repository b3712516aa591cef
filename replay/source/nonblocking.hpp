// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "replay/source/source.hpp"

namespace collcast {

/// The source with these collectives of stream 0, where they hold it up, started instead, and waited for
/// before the stream's next call on the same communicator, before its next record and at its end. Results
/// may be needed before: it is the most that can be hidden. `source` outlives the result. Null where none
/// holds it up. `even`: only those whose sizes are the same for all ranks.
std::unique_ptr<Source> nonblocking(const Source& source, const std::vector<Collective>& collectives,
                                    bool even = false);

}  // namespace collcast
