// SPDX-License-Identifier: Apache-2.0
#include "support/process/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "support/error.hpp"

namespace collcast {
namespace {

/// A pipe whose ends are closed when the process executes another program.
std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw SubstrateError(std::string("pipe: ") + std::strerror(errno));
  return ends;
}

bool redirect(const char* path, int flags, int stream) {
  const int file = open(path, flags | O_CLOEXEC, 0666);
  return file >= 0 && dup2(file, stream) >= 0;
}

/// Makes `stream` the end of the pipe. If the pipe already has the number of the stream, it only has to stay
/// open.
bool connect(int pipe, int stream) {
  return pipe == stream ? fcntl(pipe, F_SETFD, 0) == 0 : dup2(pipe, stream) >= 0;
}

/// Runs in the child. Reports on `trouble` why the program cannot be run.
[[noreturn]] void become(char* const* words, const std::vector<int>& piped, int pipe, const char* errors,
                         const char* input, pid_t parent, int trouble) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);  // as programs expect
  if (getppid() != parent) _exit(127);                                       // the parent died before prctl
  bool ready = redirect(input, O_RDONLY, STDIN_FILENO);
  if (*errors) ready = ready && redirect(errors, O_WRONLY | O_CREAT | O_APPEND, STDERR_FILENO);
  for (const int stream : piped) ready = ready && connect(pipe, stream);
  if (ready) execvp(words[0], words);
  const int why = errno;
  if (write(trouble, &why, sizeof why) < 0) _exit(126);
  _exit(127);
}

}  // namespace

Child::Child(const std::vector<std::string>& words, const std::vector<int>& piped,
             const std::filesystem::path& errors, const std::filesystem::path& input) {
  if (words.empty()) throw InputError("there is no command to launch");
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  const auto pipe = make_pipe(), trouble = make_pipe();
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) become(pointers.data(), piped, pipe[1], errors.c_str(), input.c_str(), parent, trouble[1]);
  close(pipe[1]), close(trouble[1]);
  output_ = pipe[0];
  int why = pid_ < 0 ? errno : 0;
  while (pid_ > 0 && read(trouble[0], &why, sizeof why) < 0 && errno == EINTR) continue;
  close(trouble[0]);
  if (why == 0) return;
  close(output_);
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
  throw InputError(words[0] + " cannot be run: " + std::strerror(why));
}

Child::~Child() {
  close(output_);
  if (pid_ > 0) end();
}

std::string Child::read_all() const {
  std::string all;
  std::array<char, 4096> part{};
  for (ssize_t got; (got = read(output_, part.data(), part.size())) > 0 || (got < 0 && errno == EINTR);)
    if (got > 0) all.append(part.data(), static_cast<std::size_t>(got));
  return all;
}

int Child::wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  pid_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void Child::end() {
  kill(pid_, SIGTERM);
  for (int i = 0; i < 50; ++i) {
    if (waitpid(pid_, nullptr, WNOHANG) == pid_) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

}  // namespace collcast
