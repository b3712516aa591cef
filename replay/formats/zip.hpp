// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <istream>
#include <string>

namespace collcast {

/// Where the bytes of a file in a zip archive are.
struct ZipMember {
  std::uint64_t at = 0, packed = 0;  ///< the first byte, and how many
  bool deflated = false;             ///< false: the bytes are not compressed
};

/// The only file of the archive `path`, which `archive` reads. Folders, and the files that macOS adds to each
/// file, do not count. Throws InputError if there is no file or several, or it cannot be unpacked.
ZipMember only_member(std::istream& archive, const std::string& path);

}  // namespace collcast
