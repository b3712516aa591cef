// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace collcast {

/// SplitMix64: Steele, Lea, Flood, OOPSLA 2014.
inline std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// A pseudo-random number below `count`, fixed for a seed and a pair.
inline std::int64_t hashed_choice(std::uint64_t seed, std::uint64_t from, std::uint64_t to,
                                  std::int64_t count) {
  return static_cast<std::int64_t>(mixed(mixed(mixed(seed) ^ from) ^ to) % static_cast<std::uint64_t>(count));
}

}  // namespace collcast
