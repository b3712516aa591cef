// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/schedule.hpp"
#include "model/units.hpp"

namespace collcast {

/// How large the blocks of a schedule are: all equal, or each its own (the v-collectives).
class Layout {
 public:
  /// `blocks` equal blocks that hold `whole` bytes together.
  static Layout equal(Bytes whole, Block blocks) { return Layout(whole / static_cast<double>(blocks)); }
  /// Block b holds `sizes[b]`.
  explicit Layout(const std::vector<Bytes>& sizes);

  Bytes size(Chunk c) const {
    return ends_.empty() ? static_cast<double>(c.count) * block_
                         : ends_[static_cast<std::size_t>(c.first + c.count)] -
                               ends_[static_cast<std::size_t>(c.first)];
  }
  bool equal_blocks() const { return ends_.empty(); }
  /// Bytes of a message: of its pieces where blocks differ, which then takes a detailed step.
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
