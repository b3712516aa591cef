// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace collcast {

/// Text from outside on one line that is safe on a terminal. Control characters, ends of lines and marks of
/// writing direction become \n, \u001b or \u202e, as in JSON; bytes that are not UTF-8 become \xff. The
/// characters of `kept`, which are ASCII, stay.
std::string printable(std::string_view words, std::string_view kept = "");

/// Words as one line that can be read: printable, and without the middle where they are longer than a page.
std::string one_line(std::string_view words);

}  // namespace collcast
