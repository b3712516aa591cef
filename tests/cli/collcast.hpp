// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

#include "tests/cli/build.hpp"
#include "tests/folder.hpp"

namespace collcast::testing {

/// The smallest shipped recording: HPCC on eight ranks.
inline const std::string trace = COLLCAST_SOURCE_DIR "/traces/hpcc-8.cct";

/// How a run of the program ended.
struct Outcome {
  int code;
  std::string out;  ///< standard output
  std::string err;  ///< standard error
};

inline std::string read_all(FILE* from) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), from)) > 0;)
    text.append(buffer.data(), n);
  return text;
}

/// Runs commands of a shell, in which `collcast` is the built program.
inline Outcome shell(const std::string& commands) {
  const std::string errors = scratch("errors");
  const std::string command =
      "collcast() { " + build_folder + "/collcast \"$@\"; }; { " + commands + "\n} 2>" + errors;
  FILE* pipe = popen(command.c_str(), "r");
  Outcome outcome{0, read_all(pipe), {}};
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  FILE* file = std::fopen(errors.c_str(), "r");
  outcome.err = read_all(file);
  std::fclose(file);
  return outcome;
}

/// Runs the built program with these words, as a shell reads them.
inline Outcome collcast(const std::string& arguments) {
  return shell("collcast " + arguments);
}

}  // namespace collcast::testing
