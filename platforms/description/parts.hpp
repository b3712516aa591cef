// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/description/schema.hpp"

namespace collcast {

/// The devices and kinds of links that several platforms are made of: {"devices", "link_kinds"}, each
/// described once, in data/parts/parts.json.
const Json& shared_parts();

/// Gives the platform the shared parts that its node names. What the platform says of a part is laid over the
/// shared description of that name.
void draw_parts(Json& platform);

}  // namespace collcast
