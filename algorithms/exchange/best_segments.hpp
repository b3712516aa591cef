// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "algorithms/algorithm.hpp"
#include "algorithms/exchange/file_object.hpp"

namespace collcast {

/// Writes the keys `message_bytes` and `segments` of a file, or neither if nothing is known.
void write_best_segments(Json& json, const std::optional<BestSegments>& best);
/// Throws InputError if only one of the two keys is there.
std::optional<BestSegments> read_best_segments(const FileObject& object);

}  // namespace collcast
