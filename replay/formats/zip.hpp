// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <istream>
#include <string>

namespace collcast {

/// Where the bytes of a file in a zip archive are.
struct ZipMember {
  std::uint64_t at = 0, packed = 0;  ///< their first, and how many
  bool deflated = false;             ///< or as they are
};

/// The only file of the archive `path`, which `archive` reads; folders, and what macOS adds to each file, are
/// none. Throws InputError if there are none or several, or it cannot be unpacked.
ZipMember only_member(std::istream& archive, const std::string& path);

}  // namespace collcast
