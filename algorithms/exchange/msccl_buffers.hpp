// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/exchange/msccl_program.hpp"

namespace collcast::msccl {

/// Where MSCCL keeps the blocks of a collective: the bridge between positions and block names.
///
/// An allgather's input is a share and its output the whole, a reduce-scatter's the other way round; an
/// alltoall's are a row and a column of the p x p shares. All others have the whole in both. In place, input
/// and output overlap; with no output buffer at all, the input buffer holds everything.
class Buffers {
 public:
  /// Throws InputError if the sizes do not fit the collective.
  explicit Buffers(const Program& program);
  /// The layout in which schedules are written: alltoall out of place, everything else in place.
  Buffers(Collective collective, Rank ranks, Block blocks);

  Block blocks() const { return blocks_; }
  bool in_place() const { return in_place_; }
  /// Chunks of the buffers i and o as a file declares them.
  Block input_chunks() const;
  Block output_chunks() const;
  /// Offsets of buffer i or o that name something.
  Block reach(char buffer) const { return buffer == 'i' || one_buffer_ ? input_chunks() : output_chunks(); }

  /// Where rank `rank` has block `b` before and after.
  Position input(Rank rank, Block b) const;
  Position output(Rank rank, Block b) const;
  /// The one name of a position where input and output overlap.
  Position resolved(Rank rank, Position p) const;

 private:
  enum class Shape { whole, gathers, scatters, transposes };
  static Shape shape(Collective collective);
  void set_blocks(Block blocks) { blocks_ = blocks, share_ = blocks / ranks_; }

  Shape shape_;
  Rank ranks_;
  bool in_place_;
  bool one_buffer_;  ///< in place, and without an output buffer
  Block blocks_ = 0, share_ = 0;
};

}  // namespace collcast::msccl
