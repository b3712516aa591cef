// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "support/json.hpp"

namespace collcast::campaign {

/// A file of JSON lines that grows by whole lines, so that an interrupted run keeps what came before.
class Journal {
 public:
  /// Reads what is there already, and cuts off an incomplete last line. Throws InputError on other damage,
  /// SubstrateError if the file cannot be written.
  explicit Journal(std::filesystem::path path);

  const std::vector<Json>& lines() const { return lines_; }
  /// Appends a line. It is on the disk when this returns.
  void append(const Json& line);

 private:
  std::filesystem::path path_;
  std::vector<Json> lines_;
};

/// The lines of a journal. Throws InputError if there is no such file.
std::vector<Json> read_journal(const std::filesystem::path& path);

}  // namespace collcast::campaign
