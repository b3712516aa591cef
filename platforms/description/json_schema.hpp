// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/description/schema.hpp"

namespace collcast {

/// The form of platform files as JSON Schema (draft 7), for editors and other programs; it stands in
/// docs/platform.schema.json. What it refuses the loader refuses; the loader knows more (names that dangle,
/// counts that do not add up). A file with a `base` may leave anything out, and drops with null.
Json json_schema();

}  // namespace collcast
