// SPDX-License-Identifier: Apache-2.0
#include "validation/campaign/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"
#include "support/output_file.hpp"

namespace collcast::campaign {
namespace {

namespace fs = std::filesystem;

void append_whole(const fs::path& path, const std::string& text) {
  const int file = open(path.c_str(), O_APPEND | O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  const bool written = file >= 0 &&
                       write_all(file, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}) &&
                       fsync(file) == 0;
  const int why = errno;
  if (file >= 0) close(file);
  if (!written) throw SubstrateError(path.string() + ": cannot be written: " + std::strerror(why));
}

}  // namespace

std::vector<Json> read_journal(const fs::path& path) {
  const std::string text = read_file(path);
  std::vector<Json> lines;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    auto line = parse_json(text.substr(at, end - at));
    if (!line.is_object())
      throw InputError(path.string() + ":" + std::to_string(lines.size() + 1) + ": is not a JSON object");
    lines.push_back(std::move(line));
  }
  return lines;
}

Journal::Journal(fs::path path) : path_(std::move(path)) {
  if (!fs::exists(path_)) return;
  lines_ = read_journal(path_);
  const std::string text = read_file(path_);
  const std::size_t end = text.rfind('\n');
  const std::size_t whole = end == std::string::npos ? 0 : end + 1;
  if (whole < text.size()) write_file(path_, text.substr(0, whole));
}

void Journal::append(const Json& line) {
  append_whole(path_, dump(line) + "\n");
  lines_.push_back(line);
}

}  // namespace collcast::campaign
