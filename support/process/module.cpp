// SPDX-License-Identifier: Apache-2.0
#include "support/process/module.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>

#include <filesystem>

#include "support/error.hpp"

namespace collcast {
namespace {

namespace fs = std::filesystem;

/// Where the program or library lies that this code is part of.
fs::path this_folder() {
  Dl_info info;
  // The program's own name may be as it was typed.
  const bool library = dladdr(reinterpret_cast<const void*>(&load_module), &info) && info.dli_fname &&
                       fs::path(info.dli_fname).filename().string().find(".so") != std::string::npos;
  if (library) return fs::canonical(info.dli_fname).parent_path();
  std::error_code no_proc;  // as in a chroot
  const fs::path program = fs::read_symlink("/proc/self/exe", no_proc);
  return (no_proc ? fs::absolute(reinterpret_cast<const char*>(getauxval(AT_EXECFN))) : program)
      .parent_path();
}

}  // namespace

const void* load_module(const std::string& file, const std::string& symbol, int flags,
                        const std::string& need) {
  const fs::path here = this_folder();
  std::string found = file;
  for (const fs::path& folder : {here, here / "../lib", here / "..", here / "../.."})
    if (const fs::path candidate = folder / file; fs::exists(candidate)) {
      found = candidate.lexically_normal();
      break;
    }
  void* library = dlopen(found.c_str(), flags);
  if (!library && found == file)
    throw InputError(need + " needs " + file + ", which is neither in " + here.string() +
                     " nor in ../lib from there, nor in LD_LIBRARY_PATH");
  if (!library) throw SubstrateError(need + ": " + dlerror());
  const void* address = dlsym(library, symbol.c_str());
  if (!address) throw SubstrateError("'" + found + "' is not collcast's");
  return address;
}

}  // namespace collcast
