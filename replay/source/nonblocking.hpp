// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "replay/source/source.hpp"

namespace collcast {

/// The source with these blocking collectives of stream 0 made nonblocking: each is started, and waited for
/// before the stream's next call on the same communicator, before its next record, or at its end. A real
/// application may need results earlier, so this is the most that can be hidden. `source` outlives the
/// result. Null if there is no such collective. `even`: only collectives with the same size on all ranks.
std::unique_ptr<Source> nonblocking(const Source& source, const std::vector<Collective>& collectives,
                                    bool even = false);

}  // namespace collcast
