// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace collcast {

/// The number of letters to insert, delete or replace to turn one word into the other (Levenshtein distance).
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace collcast
