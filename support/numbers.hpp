// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace collcast {

/// A whole number in [least, most], digits and no more. Throws InputError that names `what`.
std::int64_t parse_count(const std::string& text, const std::string& what, std::int64_t least,
                         std::int64_t most);

/// A finite number in [least, most], in decimal with a point. Throws InputError that names `what`.
double parse_number(const std::string& text, const std::string& what, double least, double most);

}  // namespace collcast
