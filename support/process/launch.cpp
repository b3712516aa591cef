// SPDX-License-Identifier: Apache-2.0
#include "support/process/launch.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "support/error.hpp"
#include "support/process/child.hpp"

namespace collcast {
namespace {

/// A file in memory, without a name; a child opens it by the path until this is left.
class Scratch {
 public:
  Scratch() : file_(memfd_create("collcast", MFD_CLOEXEC)) {
    if (file_ < 0) throw SubstrateError(std::string("memfd_create: ") + std::strerror(errno));
  }
  ~Scratch() { close(file_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }
  void put(const std::string& text) const {
    if (!(std::ofstream(path(), std::ios::binary) << text << std::flush))
      throw SubstrateError("there is no memory for what another program shall read");
  }
  std::string text() const {
    std::ifstream in(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  int file_;
};

}  // namespace

ProcessResult launch(const std::vector<std::string>& command) {
  Child child(command, {STDERR_FILENO});
  std::string errors = child.read_all();
  return {child.wait(), std::move(errors), {}};
}

ProcessResult filter(const std::vector<std::string>& command, const std::string& input) {
  const Scratch text, errors;
  text.put(input);
  Child child(command, {STDOUT_FILENO}, errors.path(), text.path());
  std::string output = child.read_all();
  const int code = child.wait();
  return {code, errors.text(), std::move(output)};
}

bool can_run(const std::vector<std::string>& command) try {
  return filter(command, "").code == 0;
} catch (const InputError&) {
  return false;
}

}  // namespace collcast
