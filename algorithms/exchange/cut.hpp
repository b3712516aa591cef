// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include "algorithms/exchange/file_object.hpp"
#include "model/schedule.hpp"
#include "model/units.hpp"

namespace collcast {

/// A message size and the number of segments that is the fastest there (Algorithm::cut).
using Cut = std::optional<std::pair<Bytes, Block>>;

/// As the keys `message_bytes` and `segments` of a file; none without a cut.
void write_cut(Json& json, const Cut& cut);
/// Throws InputError if only one of the two keys is there.
Cut read_cut(const FileObject& object);

}  // namespace collcast
