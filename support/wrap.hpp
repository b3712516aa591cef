// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace collcast {

/// Characters on a terminal: UTF-8 continuation bytes take no place.
std::size_t shown_width(std::string_view text);

/// The words in lines of at most `width` characters, those after the first with `indent` before them; a
/// longer word has its line alone. Lines of the text stay apart; `ending` stands where a line goes on in the
/// next.
std::string wrap(std::string_view text, std::size_t width, std::string_view indent = "",
                 std::string_view ending = "");

}  // namespace collcast
