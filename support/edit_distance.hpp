// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace collcast {

/// Letters to insert, delete or replace to make one word of the other (Levenshtein).
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace collcast
