// SPDX-License-Identifier: Apache-2.0
#include "support/input_file.hpp"

#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <sstream>

#include "support/error.hpp"

namespace collcast {
namespace {

constexpr std::size_t most_bytes = std::size_t{256} << 20;

/// An open file or pipe. A pipe without a writer does not block: it reads as empty.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : path_(path), file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    if (file_ < 0) fail(std::strerror(errno));
    struct stat status {};
    const bool known = fstat(file_, &status) == 0;
    if (!known || !(S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode))) {
      close(file_);
      fail(S_ISDIR(status.st_mode) ? "it is a folder; expected a file" : "it is neither a file nor a pipe");
    }
    pipe_ = S_ISFIFO(status.st_mode);
  }
  ~OpenFile() { close(file_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool is_pipe() const { return pipe_; }
  /// Waits for the next part of the content; empty at the end.
  std::string_view part() {
    while (true) {
      const ssize_t got = read(file_, buffer_.data(), buffer_.size());
      if (got >= 0) return {buffer_.data(), static_cast<std::size_t>(got)};
      if (errno == EAGAIN) {
        pollfd writer{file_, POLLIN, 0};
        poll(&writer, 1, -1);
      } else if (errno != EINTR) {
        fail(std::strerror(errno));
      }
    }
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw InputError(path_ + ": cannot be read: " + why);
  }

 private:
  const std::string& path_;
  int file_;
  bool pipe_ = false;
  std::array<char, 65536> buffer_{};
};

std::string whole(OpenFile& file) {
  std::string all;
  for (std::string_view part; !(part = file.part()).empty(); all += part)
    if (all.size() > most_bytes) file.fail("it holds more than 256 MiB");
  if (all.starts_with("\xEF\xBB\xBF")) all.erase(0, 3);  // the byte order mark of some editors
  return all;
}

}  // namespace

/// A pipe can be read only once, so its content is kept: an empty pipe gives what was last read from it.
std::string read_file(const std::string& path) {
  static std::mutex changing;
  static std::map<std::string, std::string> pipes;
  OpenFile file(path);
  std::string all = whole(file);
  if (!file.is_pipe()) return all;
  const std::lock_guard lock(changing);
  std::string& last = pipes[path];
  return all.empty() ? last : last = std::move(all);
}

bool next_line(std::istream& in, std::string& line) {
  const bool more = static_cast<bool>(std::getline(in, line));
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return more;
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

std::vector<std::string> files_like(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(line, ignored)) {
      all.push_back(line);
      continue;
    }
    glob_t found{};
    if (line.find_first_of("*?[") != std::string::npos && glob(line.c_str(), 0, nullptr, &found) == 0)
      all.insert(all.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
    globfree(&found);
  }
  return all;
}

}  // namespace collcast
