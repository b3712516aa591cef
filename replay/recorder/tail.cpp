// SPDX-License-Identifier: Apache-2.0
#include "replay/recorder/tail.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

namespace collcast::recorder {
namespace {

constexpr std::size_t file_bytes = sizeof(trace::TailHeader) + trace::piece_bytes;

/// Stores a value so that a reader of the file sees it only after everything that was stored before.
void publish(std::uint64_t& to, std::uint64_t value) {
  std::atomic_ref(to).store(value, std::memory_order_release);
}

}  // namespace

void Tail::open(const std::string& recording, int rank) {
  path_ = trace::tail_of(recording);
  const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return;
  // Allocates the file's blocks now: touching a page without one would kill the application on a full disk.
  void* memory = posix_fallocate(file, 0, file_bytes) == 0
                     ? mmap(nullptr, file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                     : MAP_FAILED;
  close(file);
  if (memory == MAP_FAILED) return static_cast<void>(unlink(path_.c_str()));
  header_ = static_cast<trace::TailHeader*>(memory);
  *header_ = {trace::tail_mark, 0, 0, 0, static_cast<std::uint64_t>(rank)};
}

void Tail::begin(std::int64_t size) {
  if (!header_) return;
  publish(header_->filled, 0);
  follow(size);
  held_ = 0;
}

void Tail::follow(std::int64_t size) {
  if (header_) publish(header_->begin, static_cast<std::uint64_t>(size));
}

void Tail::hold(trace::ByteSpan events, std::uint32_t count, std::int64_t wall_ns) {
  if (!header_) return;
  auto* body = reinterpret_cast<std::uint8_t*>(header_ + 1);
  std::memcpy(body + held_, events.data() + held_, events.size() - held_);
  held_ = events.size();
  header_->wall_ns = wall_ns;
  publish(header_->filled, std::uint64_t{count} << 32 | held_);
}

void Tail::remove() {
  if (!header_) return;
  munmap(header_, file_bytes);
  header_ = nullptr;
  unlink(path_.c_str());
}

}  // namespace collcast::recorder
