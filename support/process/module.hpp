// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace collcast {

/// The address of `symbol` in `file`, a module of ours that is loaded when it is first needed: a companion of
/// this program, or from where the loader looks (LD_LIBRARY_PATH). `flags`: of dlopen. `need` begins what is
/// thrown, and `instead`, what does without it, ends that: InputError if there is no such file,
/// SubstrateError if it does not load or is not ours.
const void* load_module(const std::string& file, const std::string& symbol, int flags,
                        const std::string& need, const std::string& instead = "");

}  // namespace collcast
