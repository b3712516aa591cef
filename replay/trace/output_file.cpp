// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "support/error.hpp"

namespace collcast::trace {

bool write_all(int descriptor, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return true;
}

OutputFile::OutputFile(const std::string& path)
    : path_(path), temporary_(path + ".part" + std::to_string(getpid())) {
  descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw InputError(path_ + ": cannot be written: " + std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_.c_str());
}

void OutputFile::write(std::span<const std::uint8_t> bytes) {
  if (!write_all(descriptor_, bytes))
    throw SubstrateError(path_ + ": cannot be written: " + std::strerror(errno));
  written_ += bytes.size();
}

void OutputFile::commit() {
  const bool closed = close(descriptor_) == 0;
  descriptor_ = -1;
  if (closed && std::rename(temporary_.c_str(), path_.c_str()) == 0) return;
  const int reason = errno;
  unlink(temporary_.c_str());
  throw SubstrateError(path_ + ": cannot be written: " + std::strerror(reason));
}

}  // namespace collcast::trace
