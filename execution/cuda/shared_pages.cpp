// SPDX-License-Identifier: Apache-2.0
#include "execution/cuda/shared_pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "support/error.hpp"

namespace collcast::cuda {
namespace {

[[noreturn]] void fail(const char* what) {
  throw SubstrateError(std::string("memory shared between processes: ") + what + ": " + std::strerror(errno));
}

}  // namespace

SharedPages::~SharedPages() {
  for (const auto& [begin, own] : own_) {
    unmap(begin, own.file.bytes);
    close(own.file.descriptor);
  }
  for (const auto& [file, view] : peers_) unmap(view.first, view.second);
}

std::byte* SharedPages::map(int descriptor, std::size_t bytes) {
  void* begin = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (begin == MAP_FAILED) fail("mmap");
  if (mapped_) mapped_(static_cast<std::byte*>(begin), bytes);
  return static_cast<std::byte*>(begin);
}

void SharedPages::unmap(std::byte* begin, std::size_t bytes) noexcept {
  if (unmapped_) unmapped_(begin, bytes);
  munmap(begin, bytes);
}

std::byte* SharedPages::allocate(std::size_t bytes) {
  bytes = ReleasedMemory::rounded(bytes, 4096);
  if (std::byte* kept = kept_.take(bytes)) return kept;
  File file;
  file.process = getpid();
  file.bytes = bytes;
  file.descriptor = memfd_create("collcast", MFD_CLOEXEC);
  if (file.descriptor < 0) fail("memfd_create");
  struct stat status {};
  if (ftruncate(file.descriptor, static_cast<off_t>(bytes)) != 0 || fstat(file.descriptor, &status) != 0)
    fail("ftruncate");
  file.inode = status.st_ino;
  std::byte* begin = map(file.descriptor, bytes);
  own_[begin] = {file};
  return begin;
}

void SharedPages::release(std::byte* begin) noexcept {
  const auto found = own_.find(begin);
  if (found == own_.end()) return;
  const auto& [file, shared] = found->second;
  if (shared) return kept_.keep(begin, file.bytes);
  unmap(begin, file.bytes);
  close(file.descriptor);
  own_.erase(found);
}

Handle SharedPages::share(const std::byte* at) {
  auto after = own_.upper_bound(at);
  if (after == own_.begin()) return {};
  auto& [begin, own] = *--after;
  const File& file = own.file;
  if (at >= begin + file.bytes) return {};
  own.shared = true;
  Handle handle{Handle::Kind::host, {}, static_cast<std::size_t>(at - begin)};
  static_assert(sizeof file <= sizeof handle.id);
  std::memcpy(handle.id.data(), &file, sizeof file);
  return handle;
}

std::byte* SharedPages::open(const Handle& handle) {
  File file;
  std::memcpy(&file, handle.id.data(), sizeof file);
  auto found = peers_.find(file.key());
  if (found == peers_.end()) {
    const std::string path =
        "/proc/" + std::to_string(file.process) + "/fd/" + std::to_string(file.descriptor);
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) fail(path.c_str());
    std::byte* view = map(descriptor, file.bytes);
    close(descriptor);
    found = peers_.emplace(file.key(), std::pair(view, static_cast<std::size_t>(file.bytes))).first;
  }
  return found->second.first + handle.offset;
}

}  // namespace collcast::cuda
