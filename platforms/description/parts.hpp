// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/description/schema.hpp"

namespace collcast {

/// The devices and kinds of links that platforms share, {"devices", "link_kinds"}: data/parts/parts.json.
const Json& shared_parts();

/// Adds the shared parts that the platform's node names. What the platform says about a part overrides the
/// shared description.
void draw_parts(Json& platform);

}  // namespace collcast
