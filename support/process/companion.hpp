// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace collcast {

/// The path of the running program.
std::string this_program();

/// The path of `file`, which is built and installed with the program or library that this code is in: beside
/// it, in ../lib or ../lib/collcast, or one or two folders above; empty where there is none.
std::string find_companion(const std::string& file);

/// The same; a set environment `variable` names another file. Throws InputError if there is none.
std::string companion(const std::string& file, const char* variable);

}  // namespace collcast
