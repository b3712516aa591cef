// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <map>

namespace collcast::cuda {

/// Released memory that peers may still have open. It is kept for reuse until the device is closed, as
/// freeing it would make the peers' mappings undefined: after cudaFree they show the old memory, or new
/// memory with the same handle.
class ReleasedMemory {
 public:
  /// The size to allocate for `bytes`, so that requests of similar sizes can reuse each other's blocks.
  static std::size_t rounded(std::size_t bytes, std::size_t least) {
    return std::bit_ceil(bytes < least ? least : bytes);
  }
  void keep(std::byte* begin, std::size_t bytes) { blocks_.emplace(bytes, begin); }
  /// The smallest kept block of at least that size; nullptr if there is none.
  std::byte* take(std::size_t bytes) {
    const auto found = blocks_.lower_bound(bytes);
    if (found == blocks_.end()) return nullptr;
    std::byte* begin = found->second;
    blocks_.erase(found);
    return begin;
  }

 private:
  std::multimap<std::size_t, std::byte*> blocks_;
};

}  // namespace collcast::cuda
