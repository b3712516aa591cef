// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace collcast {

/// The number of characters on a terminal: UTF-8 continuation bytes do not count.
std::size_t shown_width(std::string_view text);

/// Wraps text to lines of at most `width` characters; lines after the first begin with `indent`. A longer
/// word gets its own line. Existing line breaks stay; `ending` is appended to each line that is continued.
std::string wrap(std::string_view text, std::size_t width, std::string_view indent = "",
                 std::string_view ending = "");

}  // namespace collcast
