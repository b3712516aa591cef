// SPDX-License-Identifier: Apache-2.0
#include "engines/simgrid/child.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <type_traits>

#include "support/error.hpp"
#include "support/interrupt.hpp"

namespace collcast {
namespace {

/// The kinds of records that the child sends its parent; the data follow.
enum class News : char { interval, step, delivery, use, progress, result, bad_input, failure, interrupted };

int check(int status, const char* what) {
  if (status < 0) throw SubstrateError(std::string(what) + ": " + std::strerror(errno));
  return status;
}

/// The child's end of the pipe.
class Writer {
 public:
  explicit Writer(int fd) : fd_(fd) {}
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* bytes = reinterpret_cast<const char*>(&value);
    buffer_.insert(buffer_.end(), bytes, bytes + sizeof value);
    if (buffer_.size() > 1 << 16) flush();
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(values.size());
    for (const T& value : values) put(value);
  }
  void flush() {
    for (std::size_t sent = 0; sent < buffer_.size();) {
      const ssize_t n = write(fd_, buffer_.data() + sent, buffer_.size() - sent);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) _exit(1);  // the parent is gone
      sent += static_cast<std::size_t>(n);
    }
    buffer_.clear();
  }

 private:
  int fd_;
  std::vector<char> buffer_;
};

/// Forwards to the parent.
class Reporter : public Observer {
 public:
  explicit Reporter(Writer& writer) : writer_(writer) {}
  void done(const Interval& interval) override { tell(News::interval, interval); }
  void stepped(const Step& step) override { tell(News::step, step); }
  void delivered(const Delivery& delivery) override { tell(News::delivery, delivery); }
  void used(const Use& use) override { tell(News::use, use); }

 private:
  void tell(News kind, const auto& news) {
    writer_.put(kind);
    writer_.put(news);
  }
  Writer& writer_;
};

void put_result(Writer& out, const Result& result) {
  out.put(News::result);
  out.put(result.time);
  out.put(result.messages);
  out.put(result.bytes);
  out.put(result.ranks);
  out.put(result.ports);
  out.put(result.links);
  out.put(result.chain);
  out.put(std::vector<char>(result.stopped_short.begin(), result.stopped_short.end()));
}

void put_error(Writer& out, News kind, const char* what) {
  out.put(kind);
  out.put(std::vector<char>(what, what + std::strlen(what)));
}

/// What it cannot tell its parent ends it: the code that called fork is the parent's.
[[noreturn]] void be_child(pid_t parent, int fd, const PlayOptions& options,
                           const std::function<Result(const PlayOptions&)>& work) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // the parent has died
  if (getppid() != parent) _exit(1);
  Writer out(fd);
  Reporter reporter(out);
  PlayOptions own = options;
  if (options.observer) own.observer = &reporter;
  if (options.progress)
    own.progress = [&out](Seconds now, std::int64_t messages) {
      out.put(News::progress);
      out.put(now);
      out.put(messages);
      out.flush();
    };
  try {
    put_result(out, work(own));
  } catch (const Interrupted&) {
    out.put(News::interrupted);
  } catch (const InputError& e) {
    put_error(out, News::bad_input, e.what());
  } catch (const std::exception& e) {
    put_error(out, News::failure, e.what());
  }
  out.flush();
  _exit(0);  // without the parent's exit handlers and without flushing its files
}

/// The parent's end of the pipe; destroying it early ends the child.
class Child {
 public:
  Child(pid_t pid, int fd) : pid_(pid), fd_(fd) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    close(fd_);
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }

  template <class T>
  T get() {
    T value;
    read_all(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }
  template <class T>
  std::vector<T> get_list() {
    std::vector<T> values(get<std::size_t>());
    read_all(reinterpret_cast<char*>(values.data()), values.size() * sizeof(T));
    return values;
  }
  std::string get_text() {
    const std::vector<char> text = get_list<char>();
    return {text.begin(), text.end()};
  }

 private:
  void read_all(char* to, std::size_t size) {
    while (size > 0) {
      if (at_ == filled_) fill();
      const std::size_t n = std::min(size, filled_ - at_);
      std::memcpy(to, buffer_ + at_, n);
      at_ += n;
      to += n;
      size -= n;
    }
  }
  void fill() {
    pollfd ready{fd_, POLLIN, 0};
    do {
      end_if_interrupted();
    } while (poll(&ready, 1, 100) <= 0);
    const ssize_t n = read(fd_, buffer_, sizeof buffer_);
    if (n < 0 && errno == EINTR) return;
    if (n <= 0) died();
    at_ = 0;
    filled_ = static_cast<std::size_t>(n);
  }
  [[noreturn]] void died() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    throw SubstrateError(WIFSIGNALED(status)
                             ? "the simulating process was stopped by signal " +
                                   std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")"
                             : "the simulating process ended early");
  }

  pid_t pid_;
  int fd_;
  char buffer_[1 << 16];
  std::size_t at_ = 0, filled_ = 0;
};

Result get_result(Child& child) {
  Result result;
  result.time = child.get<Seconds>();
  result.messages = child.get<std::int64_t>();
  result.bytes = child.get<Bytes>();
  result.ranks = child.get_list<Result::OfRank>();
  result.ports = child.get_list<Result::Use>();
  result.links = child.get_list<Result::Use>();
  result.chain = child.get_list<Delay>();
  result.stopped_short = child.get_text();
  return result;
}

Result listen(Child& child, const PlayOptions& options) {
  for (;;) {
    switch (child.get<News>()) {
      case News::interval:
        options.observer->done(child.get<Observer::Interval>());
        break;
      case News::step:
        options.observer->stepped(child.get<Observer::Step>());
        break;
      case News::delivery:
        options.observer->delivered(child.get<Observer::Delivery>());
        break;
      case News::use:
        options.observer->used(child.get<Observer::Use>());
        break;
      case News::progress: {
        const auto now = child.get<Seconds>();
        options.progress(now, child.get<std::int64_t>());
        break;
      }
      case News::result:
        return get_result(child);
      case News::bad_input:
        throw InputError(child.get_text());
      case News::failure:
        throw SubstrateError(child.get_text());
      case News::interrupted:
        throw Interrupted();
    }
  }
}

}  // namespace

Result in_child(const PlayOptions& options, const std::function<Result(const PlayOptions&)>& work) {
  int fds[2];
  check(pipe(fds), "pipe");
  std::fflush(stdout);  // the child would print buffered output again
  std::fflush(stderr);
  const pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    close(fds[0]);
    be_child(parent, fds[1], options, work);
  }
  close(fds[1]);
  Child child(pid, fds[0]);
  check(pid, "fork");
  return listen(child, options);
}

}  // namespace collcast
