// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <map>

namespace collcast::cuda {

/// Released memory that peers have opened, for whoever asks next. Their views of it stay right: it is given
/// back with its device only. (What a view shows after cudaFree is undefined: of the old memory, or of what
/// has come in its place, with the same handle.)
class Kept {
 public:
  /// What is allocated for so many bytes, so that blocks of similar sizes serve each other.
  static std::size_t rounded(std::size_t bytes, std::size_t least) {
    return std::bit_ceil(bytes < least ? least : bytes);
  }
  void keep(std::byte* begin, std::size_t bytes) { blocks_.emplace(bytes, begin); }
  /// The smallest block of that size or more; nullptr where there is none.
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
