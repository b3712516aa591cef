// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace collcast {

/// Letters to insert, delete or replace to make one word of the other (Levenshtein).
std::size_t edit_distance(const std::string& a, const std::string& b);

/// The candidate that was probably meant: one that only lacks its unit, else the nearest. Empty if none.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// "a, b, c".
std::string join(const std::vector<std::string>& words);

}  // namespace collcast
