// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/description/schema.hpp"

namespace collcast {

/// Expands vertices with a `count`: "gpu" with 4 becomes gpu0 to gpu3 wherever it is named. A link between
/// two such vertices becomes one link for each of the more numerous, in blocks assigned to the less numerous
/// in order. A link from such a vertex to itself becomes links between all pairs, or, for memory, from each
/// to itself. Throws InputError if the counts do not divide.
void expand_counts(Json& platform, const std::string& file);

}  // namespace collcast
