// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace collcast {

/// One line that sums up the error output of a launcher: a rank that was killed, a message of collcast's
/// programs, an unreachable host, ...; else its last line and the exit code. Reads the last 64 KiB, and 4096
/// characters of a line.
std::string complaint(const std::string& errors, int code);

}  // namespace collcast
