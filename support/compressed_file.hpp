// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace collcast {

/// A text file that is written whole or not at all (output_file.hpp), compressed with gzip if its name ends
/// in .gz. The same text gives the same bytes.
class CompressedFile {
 public:
  /// Throws InputError if the file cannot be made or may not be written.
  explicit CompressedFile(const std::string& path);
  ~CompressedFile();

  /// Throws SubstrateError if the bytes do not reach the file; so does `commit`.
  void write(std::string_view text);
  void commit();

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace collcast
