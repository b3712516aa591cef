// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <span>
#include <streambuf>
#include <string>
#include <string_view>

namespace collcast {

/// A file that is written whole or not at all: `commit` renames a temporary file of the same folder to it.
/// Symbolic links are followed; a file that is replaced passes on its mode and, if allowed, its owner.
/// Devices, pipes and open files (/dev/stdout) are written in place.
class OutputFile {
 public:
  /// Throws InputError if the file cannot be created or written.
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
  [[noreturn]] void fail() const;

  std::string path_;       ///< as given
  std::string target_;     ///< with symbolic links followed
  std::string temporary_;  ///< in the target's folder; empty: written in place
  int descriptor_ = -1;
  std::uint64_t written_ = 0;
};

/// An OutputFile that `<<` writes to, with the same exceptions.
class OutputStream : private std::streambuf, public std::ostream {
 public:
  explicit OutputStream(const std::string& path);
  void commit();

 private:
  int overflow(int next) override;
  void flush_buffer();

  OutputFile file_;
  std::array<char, 1 << 14> buffer_{};
};

/// Writes a whole file or none, as an OutputFile does.
void write_file(const std::string& path, std::string_view text);

/// Throws InputError if `write_file` would, so that no work is done in vain.
void check_writable(const std::string& path);

/// Writes all bytes to a descriptor; false, with errno set, if it takes only some.
bool write_all(int descriptor, std::span<const std::uint8_t> bytes);

}  // namespace collcast
