// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/source/source.hpp"

namespace collcast {

/// The source on `ranks` ranks, each of which does what a recorded one does: for jobs whose ranks are alike,
/// as in data parallelism. Collectives of all ranks stay collectives of all, with the same message. `source`
/// outlives the result. Throws InputError with the reason where ranks differ, or where what they do depends
/// on how many they are.
std::unique_ptr<Source> scaled(const Source& source, Rank ranks);

}  // namespace collcast
