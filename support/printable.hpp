// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace collcast {

/// Text from outside on one line that is safe on a terminal. Control characters, ends of lines and marks of
/// writing direction become \n, \u001b or \u202e, as in JSON; bytes that are not UTF-8 become \xff. The ASCII
/// characters in `kept` stay as they are.
std::string printable(std::string_view words, std::string_view kept = "");

/// Words on one printable line. If they are longer than a page, the middle is left out.
std::string one_line(std::string_view words);

}  // namespace collcast
