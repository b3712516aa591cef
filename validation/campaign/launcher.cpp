// SPDX-License-Identifier: Apache-2.0
#include "validation/campaign/launcher.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "model/error.hpp"

namespace collcast::campaign {
namespace {

namespace fs = std::filesystem;

std::string find_program() {
  if (const char* set = std::getenv("COLLCAST_MEASURE")) return set;
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  if (const fs::path beside = here / "collcast-measure"; fs::exists(beside)) return beside.string();
  throw InputError("there is no collcast-measure in " + here.string() +
                   "; it is built where MPI is; COLLCAST_MEASURE may name another");
}

/// A program that was started in a process group of its own, and the end of the pipe that it prints to.
class Child {
 public:
  Child(std::vector<std::string> words, const fs::path& log) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
      throw SubstrateError(std::string("pipe: ") + std::strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                     0666);
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const int failed = posix_spawnp(&pid_, words[0].c_str(), &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    output_ = ends[0];
    if (failed) close(output_), throw InputError(words[0] + ": cannot be run: " + std::strerror(failed));
  }
  ~Child() {
    close(output_);
    if (pid_ > 0) end();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int output() const { return output_; }
  int wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  /// A launcher that is asked to end takes its ranks along.
  void end() {
    kill(pid_, SIGTERM);
    for (int i = 0; i < 50; ++i) {
      if (waitpid(pid_, nullptr, WNOHANG) == pid_) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  pid_t pid_ = 0;
  int output_ = -1;
};

}  // namespace

Launcher::Launcher(std::vector<std::string> words) : words_(std::move(words)), program_(find_program()) {
  if (words_.empty()) words_ = {"mpirun"};
}

std::vector<std::string> Launcher::command(Rank ranks, const std::vector<std::string>& arguments) const {
  std::vector<std::string> all = words_;
  bool told = false;
  for (std::string& word : all) {
    told |= word == "-n" || word == "-np";
    if (const auto at = word.find("{ranks}"); at != std::string::npos)
      word.replace(at, 7, std::to_string(ranks)), told = true;
  }
  if (!told) all.insert(all.end(), {"-np", std::to_string(ranks)});
  all.push_back(program_);
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

int Launcher::run(Rank ranks, const std::vector<std::string>& arguments, const fs::path& log, double patience,
                  const std::function<void(const std::string&)>& line) const {
  Child child(command(ranks, arguments), log);
  std::string pending;
  std::array<char, 4096> part{};
  while (true) {
    pollfd output{child.output(), POLLIN, 0};
    const int ready = poll(&output, 1, static_cast<int>(std::min(patience * 1e3, 2e9)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0)
      throw SubstrateError(words_[0] + " was ended: it had said nothing for " +
                           std::to_string(static_cast<int>(patience)) + " s");
    const ssize_t got = read(child.output(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return child.wait();
    pending.append(part.data(), static_cast<std::size_t>(got));
    for (std::size_t end; (end = pending.find('\n')) != std::string::npos; pending.erase(0, end + 1))
      line(pending.substr(0, end));
  }
}

}  // namespace collcast::campaign
