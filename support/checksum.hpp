// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace collcast {

/// FNV-1a: detects accidental changes, not deliberate ones. For several texts, pass each the checksum of
/// those before it.
constexpr std::uint64_t checksum(std::string_view bytes, std::uint64_t before = 14695981039346656037u) {
  for (const char c : bytes) before = (before ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return before;
}

}  // namespace collcast
