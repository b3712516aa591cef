// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>

namespace collcast {

/// A number that counts from 0, a rank for example, as the index of a vector.
constexpr std::size_t to_index(std::integral auto number) {
  return static_cast<std::size_t>(number);
}

}  // namespace collcast
