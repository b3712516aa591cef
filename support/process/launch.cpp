// SPDX-License-Identifier: Apache-2.0
#include "support/process/launch.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <span>

#include "support/error.hpp"
#include "support/output_file.hpp"
#include "support/process/child.hpp"

namespace collcast {
namespace {

/// A file in memory, without a name. While this object lives, a child can open it by its path().
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

/// Copies what arrives to standard output, at once. Returns whether anything arrived. After a failed write,
/// as when nobody reads any more, the rest is dropped.
bool pass_on(int from) {
  std::array<char, 4096> part{};
  bool any = false, read_by_someone = true;
  for (ssize_t got; (got = read(from, part.data(), part.size())) > 0 || (got < 0 && errno == EINTR);) {
    if (got < 0) continue;
    any = true;
    const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(part.data()),
                                              static_cast<std::size_t>(got));
    read_by_someone = read_by_someone && write_all(STDOUT_FILENO, bytes);
  }
  return any;
}

}  // namespace

ProcessResult launch(const std::vector<std::string>& command) {
  const Scratch errors;
  Child child(command, {STDOUT_FILENO}, errors.path());
  const bool said = pass_on(child.output());
  const int code = child.wait();
  return {code, errors.text(), {}, said};
}

ProcessResult filter(const std::vector<std::string>& command, const std::string& input) {
  const Scratch text, errors;
  text.put(input);
  Child child(command, {STDOUT_FILENO}, errors.path(), text.path());
  std::string output = child.read_all();
  const int code = child.wait();
  return {code, errors.text(), std::move(output), false};
}

bool can_run(const std::vector<std::string>& command) try {
  return filter(command, "").code == 0;
} catch (const InputError&) {
  return false;
}

}  // namespace collcast
