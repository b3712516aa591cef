// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/source/source.hpp"

namespace collcast {

/// The source on `ranks` ranks, each of which does what a recorded one does. Its communicators make a grid of
/// its ranks; messages go along pipelines, and the outermost of the other dimensions is the data dimension,
/// along which there are more or fewer ranks. Collectives along it keep their message; those of a replica
/// stay in each replica, as do messages. `source` outlives the result. Throws InputError with the reason
/// where ranks along the data dimension differ, where what they do depends on how many they are, and where
/// nothing was recorded of ranks with a role of their own.
std::unique_ptr<Source> scaled(const Source& source, Rank ranks);

}  // namespace collcast
