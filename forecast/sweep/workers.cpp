// SPDX-License-Identifier: Apache-2.0
#include "forecast/sweep/workers.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <thread>

#include "support/error.hpp"

namespace collcast::sweep {
namespace {

int check(int result, const char* what) {
  if (result < 0) throw SubstrateError(std::string(what) + ": " + std::strerror(errno));
  return result;
}

/// All bytes, or false if the other end is gone.
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

/// In the worker: answers until nobody asks. What is thrown ends it: the code that called fork is the
/// parent's.
[[noreturn]] void work(int socket, const Answerer& answer, pid_t parent) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_IGN);  // the terminal's Ctrl-C is the parent's, whose end is ours
  std::signal(SIGTERM, SIG_DFL);
  if (getppid() != parent) _exit(1);
  for (std::int64_t number = 0; receive_all(socket, &number, sizeof number);) {
    const std::string text = packed(answer(number));
    const std::size_t size = text.size();
    if (!send_all(socket, &size, sizeof size) || !send_all(socket, text.data(), size)) break;
  }
  _exit(0);
}

class Worker {
 public:
  Worker(const Answerer& answer, const std::vector<std::unique_ptr<Worker>>& others) {
    int ends[2];
    check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), "socketpair");
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) {
      for (const auto& o : others)
        if (o) close(o->socket_);  // else it would not see its end
      close(ends[0]);
      work(ends[1], answer, parent);
    }
    close(ends[1]);
    socket_ = ends[0];
    if (pid_ < 0) close(socket_);
    check(pid_, "fork");
  }
  ~Worker() {
    close(socket_);
    if (busy) kill(pid_, SIGKILL);
    end();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  int socket() const { return socket_; }
  void ask(std::int64_t number) {
    busy = number;
    send_all(socket_, &number, sizeof number);
  }
  /// The outcome; none if the worker died.
  std::optional<Outcome> answer() {
    std::size_t size = 0;
    if (!receive_all(socket_, &size, sizeof size)) return {};
    std::string text(size, ' ');
    if (!receive_all(socket_, text.data(), size)) return {};
    return unpacked(text);
  }
  /// How it ended, in words.
  std::string end() {
    int status = 0;
    while (pid_ > 0 && waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    return WIFSIGNALED(status) ? "killed by signal " + std::to_string(WTERMSIG(status))
                               : "ended with code " + std::to_string(WEXITSTATUS(status));
  }

  std::optional<std::int64_t> busy;  ///< with this point

 private:
  pid_t pid_ = 0;
  int socket_ = -1;
};

void hand_out(int count, const Next& next, const Answerer& answer, const Done& done) {
  std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(count));
  const auto begin = [&](std::unique_ptr<Worker>& w) {
    const auto number = next();
    if (number && !w) w = std::make_unique<Worker>(answer, workers);
    if (number) w->ask(*number);
    return number.has_value();
  };
  int busy = 0;
  for (auto& w : workers) busy += begin(w);
  while (busy > 0) {
    std::vector<pollfd> waiting;
    for (const auto& w : workers) waiting.push_back({w && w->busy ? w->socket() : -1, POLLIN, 0});
    const int ready = poll(waiting.data(), waiting.size(), -1);
    if (ready < 0 && errno == EINTR) continue;
    check(ready, "poll");
    for (std::size_t i = 0; i < workers.size(); ++i) {
      if (waiting[i].revents == 0) continue;
      auto& w = workers[i];
      const std::int64_t number = *w->busy;
      std::optional<Outcome> outcome = w->answer();
      w->busy.reset();
      if (!outcome) {
        outcome = Outcome{Outcome::Kind::lost, "its process was " + w->end()};
        w.reset();
      }
      done(number, *outcome);
      busy -= !begin(w);
    }
  }
}

}  // namespace

HandOut processes(int count) {
  return [count](const Next& next, const Answerer& answer, const Done& done) {
    hand_out(count, next, answer, done);
  };
}

int processors() {
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::vector<Outcome> outcomes(std::int64_t count, const HandOut& hand_out, const Answerer& answer,
                              const std::function<void(std::int64_t, const Outcome&)>& heard) {
  std::vector<Outcome> all(static_cast<std::size_t>(count));
  std::int64_t at = 0, finished = 0;
  const auto next = [&]() -> std::optional<std::int64_t> {
    if (at == count) return {};
    return at++;
  };
  hand_out(next, answer, [&](std::int64_t number, const Outcome& outcome) {
    all[static_cast<std::size_t>(number)] = outcome;
    heard(++finished, outcome);
  });
  return all;
}

std::string packed(const Outcome& outcome) {
  return static_cast<char>('0' + static_cast<int>(outcome.kind)) + outcome.text;
}

Outcome unpacked(const std::string& text) {
  return {static_cast<Outcome::Kind>(text.at(0) - '0'), text.substr(1)};
}

}  // namespace collcast::sweep
