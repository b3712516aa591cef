// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/description/schema.hpp"

namespace collcast {

/// The JSON Schema (draft 7) of platform files, for editors and other programs: docs/platform.schema.json.
/// The loader refuses all that the schema refuses, and more (names that do not exist, counts that do not add
/// up). A file with a `base` may leave anything out, and removes a key with null.
Json json_schema();

}  // namespace collcast
