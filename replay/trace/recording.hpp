// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace collcast::trace {

/// Left in a recording's folder by the first rank that could not write.
inline constexpr const char* write_failure_mark = "write-failed";

/// Name of a rank's file in the folder of a recording.
std::string recording_name(int rank);

/// What a merge made.
struct Merged {
  std::string path;
  int ranks = 0;
  long long events = 0;
  unsigned long long bytes = 0;  ///< size of the trace file
};

/// Merges the ranks' files in `folder` into one trace, in bounded memory. The trace notes ranks whose file
/// ends early. Throws InputError if there are no files, one is missing, or one is damaged.
Merged merge(const std::string& folder, const std::string& path);

}  // namespace collcast::trace
