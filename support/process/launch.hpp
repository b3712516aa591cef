// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace collcast {

/// The outcome of a command.
struct ProcessResult {
  int code = 0;        ///< exit code, or 128 + the signal that ended it
  std::string errors;  ///< its standard error
  std::string output;  ///< its standard output, if run by `filter`
  bool said = false;   ///< whether it wrote to its standard output, if run by `launch`
};

/// Runs a command to its end with empty input; it writes to the standard output of this process. Throws
/// InputError if the program does not exist.
ProcessResult launch(const std::vector<std::string>& command);

/// Runs a command on `input` and collects its output, without a shell or temporary files. Throws InputError
/// if the program does not exist.
ProcessResult filter(const std::vector<std::string>& command, const std::string& input);

/// Whether the program exists and the command exits with code 0.
bool can_run(const std::vector<std::string>& command);

}  // namespace collcast
