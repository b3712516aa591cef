// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "validation/accuracy/compare.hpp"

namespace collcast::accuracy {

/// Tables of one machine and library, predicted with one set of parameters.
struct Study {
  struct Table {
    std::string file;                          ///< with facts about the file (read.hpp)
    std::string purpose;                       ///< "calibrated on", "chosen on" or "validated on"
    std::optional<Bytes> disturbed_from = {};  ///< larger messages, and those of this size, are left out
    std::filesystem::path folder = {};         ///< where it is; empty: in the data's
  };
  std::string title, platform;
  std::string policy;              ///< empty: the tables leave nothing to choose
  std::vector<std::string> words;  ///< paragraphs: what the parameters rest on, why the worst points are bad
  bool every_point = true;         ///< whether the report lists every point
  std::vector<Table> tables;
};

/// A file {"studies": [{"title", "platform", "policy", "words": [], "every_point", "tables": [{"file",
/// "purpose", "disturbed_from_B"}]}]}. "policy", "every_point" (then true) and "disturbed_from_B" may be
/// missing. Tables are beside the file, or in the data's folder. Throws InputError with file and JSON path.
std::vector<Study> read_studies(const std::filesystem::path& file);

/// The accuracy report in Markdown: by study and size band, the worst points, then every point. Throws
/// InputError if a table is missing.
std::string report(const std::vector<Study>& studies, const std::filesystem::path& data);

}  // namespace collcast::accuracy
