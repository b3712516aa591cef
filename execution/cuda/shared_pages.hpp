// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <tuple>

#include "execution/cuda/device.hpp"

namespace collcast::cuda {

/// Host memory that other processes of the node may map: anonymous files, which are gone with their users.
class SharedPages {
 public:
  /// `mapped(begin, bytes)` is told of each mapping, own ones and peers'.
  using Mapped = std::function<void(std::byte*, std::size_t)>;
  explicit SharedPages(Mapped mapped = {}) : mapped_(std::move(mapped)) {}
  ~SharedPages();
  SharedPages(const SharedPages&) = delete;
  SharedPages& operator=(const SharedPages&) = delete;

  std::byte* allocate(std::size_t bytes);
  void release(std::byte* begin) noexcept;
  /// Kind::nothing where `at` is not in these pages.
  Handle share(const std::byte* at) const;
  std::byte* open(const Handle& handle);

 private:
  /// What a handle's id says.
  struct File {
    int process = 0, descriptor = -1;
    std::uint64_t inode = 0, bytes = 0;
    auto key() const { return std::tuple(process, descriptor, inode); }
  };
  std::byte* map(int descriptor, std::size_t bytes);

  Mapped mapped_;
  std::map<const std::byte*, File> own_;
  std::map<std::tuple<int, int, std::uint64_t>, std::pair<std::byte*, std::size_t>> peers_;
};

}  // namespace collcast::cuda
