// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/units.hpp"

namespace collcast {

/// Reads a size such as "64KiB", "1.5MiB", "100MB" or "1024", rounded down to whole bytes. Throws InputError,
/// which calls the text `what`.
Bytes parse_size(const std::string& text, const std::string& what = "size");

/// What to say of a list that may be one number with a decimal comma, as 1,5KiB and 12,5: two numbers, of
/// which the second is like the end of a fraction (5, 25, 125) and, without a unit, smaller than the first.
/// Empty otherwise.
std::string decimal_comma(const std::vector<std::string>& list);

/// The largest size of a message, and of anything that is sent.
inline constexpr Bytes largest_size = Bytes(1e18);
/// Throws InputError unless the size is a number from 0 to largest_size.
void check_size(Bytes size, const std::string& what = "size");

}  // namespace collcast
