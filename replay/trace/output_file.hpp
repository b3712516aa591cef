// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace collcast::trace {

/// A file that is written under a temporary name beside its own, and gets its own when complete.
class OutputFile {
 public:
  /// Throws InputError if the file cannot be made.
  explicit OutputFile(const std::string& path);
  /// Removes the temporary file if it was not committed.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws SubstrateError if the bytes do not all reach the file.
  void write(std::span<const std::uint8_t> bytes);
  std::uint64_t written() const { return written_; }
  void commit();

 private:
  std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
  std::uint64_t written_ = 0;
};

/// Writes all bytes to a descriptor; false, with errno set, if it takes only some.
bool write_all(int descriptor, std::span<const std::uint8_t> bytes);

}  // namespace collcast::trace
