// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platforms/description/schema.hpp"

namespace collcast {

/// The paths of edits. An edit changes several places of a platform at once. The platform must keep to its
/// schema.
/// - `node.nics` and `node.gpus`: their number. Of fewer, those that stay are spread evenly; further ones are
///   linked like the present ones. Ranks are added and removed with their GPUs.
/// - `node.links.KIND.count`: how many links of a kind are parallel between two vertices; 0 removes them.
/// - `node.links.KIND.kind`: turns links of a kind into links of another.
/// - `node.links.A-B.count`, `node.links.A-B.kind`: the same for the links between two vertices.
std::vector<std::string> edits(const Json& platform);

/// Makes one of these edits. Throws InputError, which names `origin`, if it is not possible.
void edit(Json& platform, const std::string& path, const std::string& value, const std::string& origin);

/// Whether an edit sets a whole number.
bool edits_a_count(const std::string& path);
/// Throws InputError if no platform could take this value.
void check_edit(const std::string& path, const std::string& value, const std::string& origin);

}  // namespace collcast
