// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/units.hpp"

namespace collcast {

/// Reads a size such as "64KiB", "1.5MiB", "100MB" or "1024", rounded down to whole bytes. Throws InputError,
/// which calls the text `what`.
Bytes parse_size(const std::string& text, const std::string& what = "size");

/// The largest size of a message, and of anything that is sent.
inline constexpr Bytes largest_size = Bytes(1e18);
/// Throws InputError unless the size is a number from 0 to largest_size.
void check_size(Bytes size, const std::string& what = "size");

}  // namespace collcast
