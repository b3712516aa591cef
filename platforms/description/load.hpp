// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platforms/description/description.hpp"

namespace collcast {

/// Names of the platforms that come with the program.
std::vector<std::string> shipped_platforms();

/// A shipped platform by its name, or a user's file by its path (it ends in .json or holds a slash).
/// Throws InputError.
Description load_platform(const std::string& name_or_path);

/// A platform from text; `file` is what errors name.
Description parse_platform(const std::string& text, const std::string& name, const std::string& file);

}  // namespace collcast
