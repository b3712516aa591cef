// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "support/json.hpp"

namespace collcast::campaign {

/// A file of JSON lines that grows by whole lines, so that an interrupted run keeps what came before.
class Journal {
 public:
  /// Reads what is there already. A last line that was torn is cut off. Throws InputError on other damage,
  /// SubstrateError where the file cannot be written.
  explicit Journal(std::filesystem::path path);

  const std::vector<Json>& lines() const { return lines_; }
  /// Appends a line, which is on the disk when this returns.
  void append(const Json& line);

 private:
  std::filesystem::path path_;
  std::vector<Json> lines_;
};

/// The lines of such a file. Throws InputError if there is no such file.
std::vector<Json> read_journal(const std::filesystem::path& path);

}  // namespace collcast::campaign
