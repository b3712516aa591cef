// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace collcast {

/// The candidate that was probably meant: one that only lacks its unit, else the nearest. Empty if none.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// "a, b, c".
std::string join(const std::vector<std::string>& words);

}  // namespace collcast
