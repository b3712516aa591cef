// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace collcast {

/// What a launcher's error output comes down to, in one line: a rank that was killed, what collcast's own
/// programs said, a host that cannot be reached, ...; else its last words and the exit code.
std::string complaint(const std::string& errors, int code);

}  // namespace collcast
