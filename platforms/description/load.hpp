// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platforms/description/description.hpp"

namespace collcast {

/// Names of the shipped platforms.
std::vector<std::string> shipped_platforms();

/// A shipped platform by name, or a user's file by path (which ends in .json or has a slash).
/// Throws InputError.
Description load_platform(const std::string& name_or_path);

/// A platform from the text of a platform file (docs/platforms.md). Throws InputError, which names `file`.
Description parse_platform(const std::string& text, const std::string& name, const std::string& file);

}  // namespace collcast
