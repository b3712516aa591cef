// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "replay/formats/input.hpp"

namespace collcast {

bool is_tar(std::string_view head);

/// The files in a tar archive, one after the other. Checksums are not compared, as those that CUBE 4.8 writes
/// are wrong.
class Tar {
 public:
  explicit Tar(const std::string& path) : input_(path) {}

  /// Goes to the next file; false at the end. Throws InputError where the archive is damaged or cut short.
  bool next();
  const std::string& name() const { return name_; }  ///< without folders
  std::uint64_t size() const { return size_; }
  /// Reads the next `bytes` bytes of the file; throws InputError if it has fewer left.
  void read(char* to, std::size_t bytes);
  void skip(std::uint64_t bytes);
  std::uint64_t left() const { return left_; }
  /// The whole file; throws InputError if it is larger than `most`.
  std::string text(std::uint64_t most);

 private:
  Input input_;
  std::string name_;
  std::uint64_t size_ = 0, left_ = 0, padding_ = 0;
};

}  // namespace collcast
