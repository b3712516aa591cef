// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace collcast {

/// The whole number in the `width` bytes from `at` on; at most 8 bytes.
constexpr std::uint64_t number_of_bytes(const char* at, std::size_t width, bool big_endian) {
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < width; ++i)
    n = n << 8 | static_cast<unsigned char>(at[big_endian ? i : width - 1 - i]);
  return n;
}

constexpr std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t width) {
  return number_of_bytes(bytes.data() + at, width, false);
}

}  // namespace collcast
