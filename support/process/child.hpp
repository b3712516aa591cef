// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace collcast {

/// A child process whose output comes back through a pipe. It gets SIGTERM when this object is destroyed and
/// when the thread that started it dies; a launcher then ends its ranks.
class Child {
 public:
  /// Starts a program with these arguments, without a shell. The streams `piped` (STDOUT_FILENO,
  /// STDERR_FILENO) go to output(); standard error is appended to the file `errors` if given; standard input
  /// is `input`. Throws InputError if the program does not exist.
  Child(const std::vector<std::string>& words, const std::vector<int>& piped,
        const std::filesystem::path& errors = {}, const std::filesystem::path& input = "/dev/null");
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int output() const { return output_; }
  /// Reads all output, until the child closes it.
  std::string read_all() const;
  /// Waits for the child to end. Returns its exit code, or 128 + the signal that ended it.
  int wait();

 private:
  void end();

  pid_t pid_ = 0;
  int output_ = -1;
};

}  // namespace collcast
