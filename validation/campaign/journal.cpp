// SPDX-License-Identifier: Apache-2.0
#include "validation/campaign/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "support/error.hpp"

namespace collcast::campaign {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const char* what) {
  throw SubstrateError(path.string() + ": " + what + ": " + std::strerror(errno));
}

void write_all(const fs::path& path, int flags, const std::string& text) {
  const int file = open(path.c_str(), flags | O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) fail(path, "cannot be written");
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t wrote = write(file, text.data() + at, text.size() - at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) close(file), fail(path, "cannot be written");
    at += static_cast<std::size_t>(wrote);
  }
  if (fsync(file) != 0) close(file), fail(path, "cannot be brought to the disk");
  close(file);
}

}  // namespace

std::string read_whole(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(path.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_whole(const fs::path& path, const std::string& text) {
  fs::path beside = path;
  beside += ".part";
  write_all(beside, O_TRUNC, text);
  std::error_code error;
  fs::rename(beside, path, error);
  if (error) throw SubstrateError(path.string() + ": cannot be written: " + error.message());
}

std::vector<nlohmann::ordered_json> read_journal(const fs::path& path) {
  const std::string text = read_whole(path);
  std::vector<nlohmann::ordered_json> lines;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    auto line = nlohmann::ordered_json::parse(text.substr(at, end - at), nullptr, false);
    if (!line.is_object())
      throw InputError(path.string() + ":" + std::to_string(lines.size() + 1) + ": is no JSON object");
    lines.push_back(std::move(line));
  }
  return lines;
}

Journal::Journal(fs::path path) : path_(std::move(path)) {
  if (!fs::exists(path_)) return;
  lines_ = read_journal(path_);
  const std::string text = read_whole(path_);
  const std::size_t end = text.rfind('\n');
  const std::size_t whole = end == std::string::npos ? 0 : end + 1;
  if (whole < text.size()) write_whole(path_, text.substr(0, whole));
}

void Journal::append(const nlohmann::ordered_json& line) {
  write_all(path_, O_APPEND, line.dump() + "\n");
  lines_.push_back(line);
}

}  // namespace collcast::campaign
