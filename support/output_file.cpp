// SPDX-License-Identifier: Apache-2.0
#include "support/output_file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "support/error.hpp"

namespace collcast {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, const char* why) {
  throw InputError(path + ": cannot be written: " + why);
}

/// Whether the path is the kernel's name of an open file (/proc/self/fd/1). Such a link leads to no file name
/// that could be replaced.
bool names_open_file(const fs::path& path) {
  std::error_code error;
  const fs::path folder = fs::canonical(path.parent_path(), error);
  return !error && folder.string().starts_with("/proc/");
}

/// The path with all symbolic links followed: it names a file, nothing yet, or an open file.
fs::path end_of_links(const std::string& name) {
  fs::path path = fs::path(name).parent_path().empty() ? "." / fs::path(name) : fs::path(name);
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(path, error)) && !names_open_file(path); ++links) {
    if (links == 40) refuse(name, std::strerror(ELOOP));
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path;
}

/// A name of 64 random bits: nobody can have put a file or a link there before.
std::string unguessable_name() {
  std::uint64_t bits = 0;
  if (getrandom(&bits, sizeof bits, 0) != sizeof bits)
    throw SubstrateError(std::string("getrandom: ") + std::strerror(errno));
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), ".collcast-%016llx", static_cast<unsigned long long>(bits));
  return text.data();
}

/// Gives a new file the mode and, if allowed, the owner of the file that it replaces.
bool resemble(int descriptor, const struct stat& old) {
  struct stat own {};
  if (fstat(descriptor, &own) != 0) return false;
  const bool same = own.st_uid == old.st_uid && own.st_gid == old.st_gid;
  const bool owned = same || fchown(descriptor, old.st_uid, old.st_gid) == 0;
  return fchmod(descriptor, old.st_mode & (owned ? 07777 : 0777)) == 0;
}

}  // namespace

bool write_all(int descriptor, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return true;
}

OutputFile::OutputFile(const std::string& path) : path_(path), target_(end_of_links(path).string()) {
  struct stat old {};
  const bool exists = stat(target_.c_str(), &old) == 0;
  if (path.empty() || (exists && S_ISDIR(old.st_mode)))
    refuse(path_, std::strerror(path.empty() ? ENOENT : EISDIR));
  if (exists && (!S_ISREG(old.st_mode) || names_open_file(target_))) {
    descriptor_ = open(target_.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
  } else if (!exists || faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) == 0) {
    temporary_ = (fs::path(target_).parent_path() / unguessable_name()).string();
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, exists ? 0600 : 0666);
  }
  if (descriptor_ < 0) refuse(path_, std::strerror(errno));
  if (exists && !temporary_.empty() && !resemble(descriptor_, old)) {
    const int why = errno;
    close(descriptor_), unlink(temporary_.c_str());
    refuse(path_, std::strerror(why));
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::fail() const {
  throw SubstrateError(path_ + ": cannot be written: " + std::strerror(errno));
}

void OutputFile::write(std::span<const std::uint8_t> bytes) {
  if (!write_all(descriptor_, bytes)) fail();
  written_ += bytes.size();
}

void OutputFile::commit() {
  if (!temporary_.empty() && fsync(descriptor_) != 0) fail();
  if (close(std::exchange(descriptor_, -1)) != 0) fail();
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
  temporary_.clear();
}

OutputStream::OutputStream(const std::string& path)
    : std::ostream(static_cast<std::streambuf*>(this)), file_(path) {
  exceptions(std::ios::badbit);  // pass on what the file throws
  setp(buffer_.begin(), buffer_.end());
}

void OutputStream::flush_buffer() {
  file_.write({reinterpret_cast<const std::uint8_t*>(pbase()), static_cast<std::size_t>(pptr() - pbase())});
  setp(buffer_.begin(), buffer_.end());
}

int OutputStream::overflow(int next) {
  flush_buffer();
  return next == EOF ? 0 : sputc(static_cast<char>(next));
}

void OutputStream::commit() {
  flush_buffer();
  file_.commit();
}

/// Does not open pipes and devices: closing a pipe would tell its reader that the data have ended.
void check_writable(const std::string& path) {
  std::error_code error;
  const fs::file_status there = fs::status(path, error);
  if (!fs::exists(there) || fs::is_regular_file(there) || fs::is_directory(there)) OutputFile probe(path);
}

void write_file(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  file.commit();
}

}  // namespace collcast
