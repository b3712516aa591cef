// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace collcast {

/// Two parts of a network's switches, and the links that all routes between them cross, numbered from 0.
struct Halves {
  std::vector<char> inside;  ///< by switch: whether it is in the first
  std::vector<std::uint64_t> out, in;
};

}  // namespace collcast
