// SPDX-License-Identifier: Apache-2.0
#include "engines/simgrid/child.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <type_traits>

#include "support/error.hpp"
#include "support/interrupt.hpp"
#include "support/process/forked.hpp"

namespace collcast {
namespace {

/// The kinds of records that the child sends its parent; the data follow.
enum class News : char { interval, step, delivery, use, progress, result, bad_input, failure, interrupted };

/// Sends records from the child to its parent.
class Writer {
 public:
  explicit Writer(int socket) : socket_(socket) {}
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
    if (!send_all(socket_, buffer_.data(), buffer_.size())) _exit(1);  // the parent is gone
    buffer_.clear();
  }

 private:
  int socket_;
  std::vector<char> buffer_;
};

/// An observer that forwards all it is told to the parent.
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

/// Runs in the child, and ends it if it cannot tell its parent the outcome.
void be_child(int socket, const PlayOptions& options, const std::function<Result(const PlayOptions&)>& work) {
  Writer out(socket);
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
    put_error(out, News::failure, words_of(e).c_str());
  }
  out.flush();
}

/// Receives records from the child.
class Reader {
 public:
  explicit Reader(Forked& child) : child_(child) {}

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
    pollfd ready{child_.socket(), POLLIN, 0};
    do {
      end_if_interrupted();
    } while (poll(&ready, 1, 100) <= 0);
    const ssize_t n = read(child_.socket(), buffer_, sizeof buffer_);
    if (n < 0 && errno == EINTR) return;
    if (n <= 0) throw SubstrateError("the simulating process " + child_.end());
    at_ = 0;
    filled_ = static_cast<std::size_t>(n);
  }

  Forked& child_;
  char buffer_[1 << 16];
  std::size_t at_ = 0, filled_ = 0;
};

Result get_result(Reader& child) {
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

Result listen(Reader child, const PlayOptions& options) {
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
  Forked child([&](int socket) { be_child(socket, options, work); });
  return listen(Reader(child), options);
}

}  // namespace collcast
