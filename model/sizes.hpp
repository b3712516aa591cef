// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/units.hpp"

namespace collcast {

/// "64KiB", "1.5MiB", "100MB", "1024": whole bytes, rounded down. Throws InputError that says `what` it is.
Bytes parse_size(const std::string& text, const std::string& what = "size");

}  // namespace collcast
