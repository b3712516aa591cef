// SPDX-License-Identifier: Apache-2.0
#include "support/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "support/printable.hpp"

namespace collcast {
namespace {

/// A buffer in front of a stream that makes control characters printable.
class Screen : public std::streambuf {
 public:
  explicit Screen(std::ostream& stream) : stream_(stream), below_(stream.rdbuf(this)) {}
  ~Screen() override { stream_.rdbuf(below_); }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    const std::string safe = printable({text, static_cast<std::size_t>(size)}, "\n\t");
    const auto all = static_cast<std::streamsize>(safe.size());
    return below_->sputn(safe.data(), all) == all ? size : 0;
  }
  int_type overflow(int_type c) override {
    const char one = traits_type::to_char_type(c);
    return xsputn(&one, 1) == 1 ? c : traits_type::eof();
  }
  int sync() override { return below_->pubsync(); }

 private:
  std::ostream& stream_;
  std::streambuf* below_;
};

}  // namespace

void prepare_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    // open() takes the lowest free number, which is that of this stream. The wrong access mode makes any use
    // of it fail.
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);
  static const Screen output(std::cout), errors(std::cerr);
}

std::string output_trouble() {
  errno = 0;
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::cout && std::ferror(stdout) == 0) return "";
  return std::string("standard output: cannot be written") +
         (errno == 0 ? "" : ": " + std::string(std::strerror(errno)));
}

}  // namespace collcast
