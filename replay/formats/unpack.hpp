// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace collcast {

enum class Packing { zlib, bzip2, none };  ///< zlib: also gzip

/// Whether this program was built with the packing; bzip2 is optional.
bool can_unpack(Packing packing);

/// Unpacks a part of a file piece by piece. Streams that follow each other count as one.
class Unpacker {
 public:
  Unpacker(std::string_view packed, Packing packing);
  ~Unpacker();
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  /// Reads up to `most` more bytes; 0 at the end, nothing if the data are damaged or cut short.
  std::optional<std::size_t> read(char* to, std::size_t most);

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

/// Everything unpacked; nothing if the data are damaged, or more than `most` bytes.
std::optional<std::string> unpacked(std::string_view packed, Packing packing, std::size_t most);

}  // namespace collcast
