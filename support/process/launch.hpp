// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace collcast {

/// How a job ended.
struct Ended {
  int code = 0;        ///< exit code, or 128 + the signal that ended the launcher
  std::string errors;  ///< what it wrote to its standard error
};

/// Runs a command to its end, its output going where ours goes, its input empty. Throws InputError if there
/// is no such program.
Ended launch(const std::vector<std::string>& command);

}  // namespace collcast
