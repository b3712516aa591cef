// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace collcast {

/// How a job ended.
struct Ended {
  int code = 0;        ///< exit code, or 128 + the signal that ended the launcher
  std::string errors;  ///< what it wrote to its standard error
  std::string output;  ///< what it wrote to its standard output, of `filter`
};

/// Runs a command to its end, its output going where ours goes, its input empty. Throws InputError if there
/// is no such program.
Ended launch(const std::vector<std::string>& command);

/// Runs a command that reads `input` and writes its answer. No shell, no file, no name in between. Throws
/// InputError if there is no such program.
Ended filter(const std::vector<std::string>& command, const std::string& input);

/// There is such a program, and it answers this with exit code 0.
bool can_run(const std::vector<std::string>& command);

}  // namespace collcast
