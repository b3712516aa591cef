// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "execution/cuda/device.hpp"
#include "execution/cuda/released_memory.hpp"

namespace collcast::cuda {

/// Host memory that other processes of the node can map: anonymous files, which vanish with their last user.
class SharedPages {
 public:
  using OnMapping = std::function<void(std::byte*, std::size_t)>;
  /// `mapped(begin, bytes)` is called after each mapping of own or peers' memory, `unmapped` before each is
  /// removed.
  explicit SharedPages(OnMapping mapped = {}, OnMapping unmapped = {})
      : mapped_(std::move(mapped)), unmapped_(std::move(unmapped)) {}
  ~SharedPages();
  SharedPages(const SharedPages&) = delete;
  SharedPages& operator=(const SharedPages&) = delete;

  std::byte* allocate(std::size_t bytes);
  void release(std::byte* begin) noexcept;
  /// Kind::nothing if `at` is not in these pages.
  Handle share(const std::byte* at);
  std::byte* open(const Handle& handle);

 private:
  /// The content of a handle's id.
  struct File {
    int process = 0, descriptor = -1;
    std::uint64_t inode = 0, bytes = 0;
    auto key() const { return std::tuple(process, descriptor, inode); }
  };
  struct Own {
    File file;
    bool shared = false;
  };
  std::byte* map(int descriptor, std::size_t bytes);
  void unmap(std::byte* begin, std::size_t bytes) noexcept;

  OnMapping mapped_, unmapped_;
  std::map<std::byte*, Own, std::less<>> own_;
  ReleasedMemory kept_;
  std::map<std::tuple<int, int, std::uint64_t>, std::pair<std::byte*, std::size_t>> peers_;
};

}  // namespace collcast::cuda
