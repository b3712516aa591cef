// SPDX-License-Identifier: Apache-2.0
#include "support/process/module.hpp"

#include <dlfcn.h>

#include "support/error.hpp"
#include "support/process/companion.hpp"

namespace collcast {

const void* load_module(const std::string& file, const std::string& symbol, int flags,
                        const std::string& need, const std::string& instead) {
  const std::string end = instead.empty() ? "" : "; " + instead;
  const std::string found = find_companion(file);
  void* library = dlopen(found.empty() ? file.c_str() : found.c_str(), flags);
  if (!library && found.empty())
    throw SubstrateError(need + " needs " + file +
                         ", which is neither beside this program, nor in ../lib from " +
                         "there, nor in LD_LIBRARY_PATH" + end);
  if (!library) throw SubstrateError(need + ": " + dlerror() + end);
  const void* address = dlsym(library, symbol.c_str());
  if (!address) throw SubstrateError("'" + found + "' is not collcast's" + end);
  return address;
}

}  // namespace collcast
