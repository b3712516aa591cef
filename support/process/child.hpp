// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace collcast {

/// A program that was started, and the end of the pipe that it prints to. It is asked to end (SIGTERM: a
/// launcher then takes its ranks along) where this is left, and when the thread that started it dies,
/// however it does.
class Child {
 public:
  /// The words reach the program as they are: there is no shell. Of its streams `piped` (STDOUT_FILENO,
  /// STDERR_FILENO) go to output(); its errors are appended to `errors` if that is given; it reads `input`.
  /// Throws InputError if there is no such program.
  Child(const std::vector<std::string>& words, const std::vector<int>& piped,
        const std::filesystem::path& errors = {}, const std::filesystem::path& input = "/dev/null");
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int output() const { return output_; }
  /// All that it prints from now on.
  std::string read_all() const;
  /// Its exit code, or 128 + the signal that ended it, once it has ended.
  int wait();

 private:
  void end();

  pid_t pid_ = 0;
  int output_ = -1;
};

}  // namespace collcast
