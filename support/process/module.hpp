// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace collcast {

/// The address of `symbol` in `file`, a shared library of ours that is loaded when first needed. It is looked
/// for as a companion of this program, then where the loader looks (LD_LIBRARY_PATH). `flags` are those of
/// dlopen. Throws SubstrateError if there is no such file, if it does not load or is not ours. It begins with
/// `need`, what needs the library, and ends with `instead`, what works without it.
const void* load_module(const std::string& file, const std::string& symbol, int flags,
                        const std::string& need, const std::string& instead = "");

}  // namespace collcast
