// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/schedule.hpp"
#include "model/units.hpp"

namespace collcast {

/// The sizes of a schedule's blocks: all equal, or one for each block (v-collectives).
class Layout {
 public:
  /// `blocks` equal blocks of `whole` bytes in all.
  static Layout equal(Bytes whole, Block blocks) { return Layout(whole / static_cast<double>(blocks)); }
  /// Block b has `sizes[b]` bytes.
  explicit Layout(const std::vector<Bytes>& sizes);

  Bytes size(Chunk c) const {
    return ends_.empty() ? static_cast<double>(c.count) * block_
                         : ends_[static_cast<std::size_t>(c.first + c.count)] -
                               ends_[static_cast<std::size_t>(c.first)];
  }
  bool equal_blocks() const { return ends_.empty(); }
  /// The size of a message. If blocks differ in size and the message is scattered, the step must be detailed.
  Bytes size(const Step& step, const Transfer& t) const {
    if (t.scattered < 0 || equal_blocks()) return size(t.chunk);
    Bytes sum;
    for (const Chunk& piece : step.pieces(t)) sum += size(piece);
    return sum;
  }
  Bytes size(const Step&, const Multicast& m) const { return size(m.chunk); }
  Bytes size(const Step&, const Reduction& m) const { return size(m.chunk); }

 private:
  explicit Layout(Bytes block) : block_(block) {}
  Bytes block_;
  std::vector<Bytes> ends_;
};

}  // namespace collcast
