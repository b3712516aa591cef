// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace collcast::cli {

/// Throws InputError if `out` is one of these files, by whatever path: what is read would be gone, or read
/// while it is written. `what`: what it is then, such as "the trace".
void refuse_own_input(const std::string& out, const std::vector<std::string>& read, const std::string& what);

}  // namespace collcast::cli
