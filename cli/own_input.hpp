// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace collcast::cli {

/// Throws InputError if `out` is one of the files that are read, by whatever path, as it would be
/// overwritten. `what`: what the file is, such as "the trace".
void refuse_own_input(const std::string& out, const std::vector<std::string>& read, const std::string& what);

}  // namespace collcast::cli
