// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace collcast {

/// Words of a file or a name in one line, safe on a terminal: what controls it, ends a line or turns the
/// writing around stands there as \n, \u001b or \u202e, which JSON reads back as what it was; what is no
/// UTF-8 as \xff. The characters of `kept` (below 128) stay as they are.
std::string printable(std::string_view words, std::string_view kept = "");

}  // namespace collcast
