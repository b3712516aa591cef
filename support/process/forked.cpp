// SPDX-License-Identifier: Apache-2.0
#include "support/process/forked.hpp"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "support/error.hpp"

namespace collcast {
namespace {

int called(int status, const char* what) {
  if (status < 0) throw SubstrateError(std::string(what) + ": " + std::strerror(errno));
  return status;
}

[[noreturn]] void be_copy(const std::function<void(int)>& work, int socket, pid_t parent) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // the parent died before prctl
  work(socket);
  _exit(0);
}

}  // namespace

Forked::Forked(const std::function<void(int)>& work) {
  int ends[2];
  called(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), "socketpair");
  std::fflush(stdout);  // else the copy might print what is buffered, too
  std::fflush(stderr);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    close(ends[0]);
    be_copy(work, ends[1], parent);
  }
  close(ends[1]);
  socket_ = ends[0];
  if (pid_ < 0) close(socket_);
  called(pid_, "fork");
}

Forked::~Forked() {
  close(socket_);
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  end();
}

std::string Forked::end() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  pid_ = 0;
  if (!WIFSIGNALED(status)) return "ended with code " + std::to_string(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  return "was killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

bool send_all(int socket, const void* bytes, std::size_t count) {
  const auto* at = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t n = send(socket, at, count, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    count -= static_cast<std::size_t>(n);
  }
  return true;
}

bool receive_all(int socket, void* bytes, std::size_t count) {
  auto* at = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t n = recv(socket, at, count, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    count -= static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace collcast
