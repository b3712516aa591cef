// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platforms/description/schema.hpp"

namespace collcast {

/// Edits that concern several places of a sound platform at once:
/// - `node.nics` and `node.gpus`: how many there are. The first ones stay; further ones are linked like those
///   there are. Ranks go with the GPUs that they sit on.
/// - `node.links.KIND.count`: of the links of a kind, how many lie side by side between two vertices; 0:
/// none.
/// - `node.links.KIND.kind`: links of a kind become links of another.
std::vector<std::string> edits(const Json& platform);

/// Makes one of these. Throws InputError, which names `origin`, where it makes no sense.
void edit(Json& platform, const std::string& path, const std::string& value, const std::string& origin);

}  // namespace collcast
