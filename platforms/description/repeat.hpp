// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/description/schema.hpp"

namespace collcast {

/// Writes out what a node's description says once for several: a vertex "gpu" with a `count` of 4 becomes
/// gpu0 to gpu3, wherever it is named. Links between two such are one each, in order, blocks of the larger
/// number to each of the smaller; between such a vertex and itself, all pairs, or of memory each with itself.
/// Throws InputError where the numbers do not divide.
void write_out(Json& platform, const std::string& file);

}  // namespace collcast
