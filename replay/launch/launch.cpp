// SPDX-License-Identifier: Apache-2.0
#include "replay/launch/launch.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "model/error.hpp"

namespace collcast {
namespace {

std::string read_all(int pipe) {
  std::string all;
  std::array<char, 4096> part{};
  for (ssize_t got; (got = read(pipe, part.data(), part.size())) > 0 || (got < 0 && errno == EINTR);)
    if (got > 0) all.append(part.data(), static_cast<std::size_t>(got));
  return all;
}

}  // namespace

Ended launch(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (command.empty()) throw InputError("there is no command to launch");
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw SubstrateError(std::string("pipe: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failed) close(ends[0]), throw InputError(command[0] + " cannot be run: " + std::strerror(failed));
  Ended ended{0, read_all(ends[0])};
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

}  // namespace collcast
