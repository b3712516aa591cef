// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace collcast {

/// Tells whether bytes are still what they were; not whether somebody meant to change them (FNV-1a). Of
/// several texts: of each with that of those before it.
constexpr std::uint64_t checksum(std::string_view bytes, std::uint64_t before = 14695981039346656037u) {
  for (const char c : bytes) before = (before ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return before;
}

}  // namespace collcast
