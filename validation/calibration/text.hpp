// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platforms/description/schema.hpp"
#include "support/json.hpp"

namespace collcast {

/// A platform as the text of its file: indented, each parameter on a line of its own.
std::string platform_text(const Json& platform);

}  // namespace collcast
