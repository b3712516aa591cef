// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace collcast {

/// Parses a whole number in [least, most], written in digits only. Throws InputError, which calls it `what`.
std::int64_t parse_count(const std::string& text, const std::string& what, std::int64_t least,
                         std::int64_t most);

/// Parses a decimal number in [least, most]. Throws InputError, which calls it `what`.
double parse_number(const std::string& text, const std::string& what, double least, double most);

}  // namespace collcast
