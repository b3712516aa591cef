// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace collcast {

/// The path of the running program.
std::string this_program();

/// The path of `file`, which is built and installed with the program or library that this code is in. It is
/// looked for beside that, in ../lib, in ../lib/collcast, and one and two folders above. Empty if it is in
/// none.
std::string find_companion(const std::string& file);

/// The same, or the file that the environment variable `variable` names. Throws InputError if there is none.
std::string companion(const std::string& file, const char* variable);

}  // namespace collcast
