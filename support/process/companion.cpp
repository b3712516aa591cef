// SPDX-License-Identifier: Apache-2.0
#include "support/process/companion.hpp"

#include <dlfcn.h>
#include <sys/auxv.h>

#include <cstdlib>
#include <filesystem>

#include "support/error.hpp"

namespace collcast {
namespace {

namespace fs = std::filesystem;

/// The folder of the program or library that this code is part of.
fs::path this_folder() {
  Dl_info info;
  // For a program dli_fname may be what the user typed, so only a library's is used.
  const bool library = dladdr(reinterpret_cast<const void*>(&find_companion), &info) && info.dli_fname &&
                       fs::path(info.dli_fname).filename().string().find(".so") != std::string::npos;
  return library ? fs::canonical(info.dli_fname).parent_path() : fs::path(this_program()).parent_path();
}

}  // namespace

std::string this_program() {
  std::error_code no_proc;  // /proc may be missing, as in a chroot
  const fs::path program = fs::read_symlink("/proc/self/exe", no_proc);
  return (no_proc ? fs::absolute(reinterpret_cast<const char*>(getauxval(AT_EXECFN))) : program).string();
}

std::string find_companion(const std::string& file) {
  const fs::path here = this_folder();
  for (const char* folder : {".", "../lib", "../lib/collcast", "..", "../.."})
    if (const fs::path found = here / folder / file; fs::is_regular_file(found))
      return fs::weakly_canonical(found).string();
  return "";
}

std::string companion(const std::string& file, const char* variable) {
  if (const char* set = std::getenv(variable)) {
    if (fs::is_regular_file(set)) return fs::absolute(set).string();
    throw InputError(std::string(variable) + ": there is no file '" + set + "'");
  }
  if (std::string found = find_companion(file); !found.empty()) return found;
  throw InputError(file + " is neither in " + this_folder().string() + " nor in ../lib from there; " +
                   variable + " may name it (it is built where MPI is)");
}

}  // namespace collcast
