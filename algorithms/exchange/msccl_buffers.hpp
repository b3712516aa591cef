// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/exchange/msccl_program.hpp"

namespace collcast::msccl {

/// Maps positions in MSCCL's buffers to blocks of a schedule, and back.
///
/// The input of an allgather is a share and its output the whole; of a reduce-scatter the reverse. Those of
/// an alltoall are a row and a column of the p x p shares. All other collectives have the whole in both. In
/// place, input and output overlap; without an output buffer, the input buffer holds everything.
class Buffers {
 public:
  /// Throws InputError if the sizes do not fit the collective.
  explicit Buffers(const Program& program);
  /// The layout in which schedules are written: alltoall out of place, everything else in place.
  Buffers(Collective collective, Rank ranks, Block blocks);

  Block blocks() const { return blocks_; }
  bool in_place() const { return in_place_; }
  /// The number of chunks that a file declares for buffers i and o.
  Block input_chunks() const;
  Block output_chunks() const;
  /// The number of valid offsets in buffer i or o.
  Block reach(char buffer) const { return buffer == 'i' || one_buffer_ ? input_chunks() : output_chunks(); }

  /// The position of a block of a rank before and after the collective.
  Position input(Rank rank, Block b) const;
  Position output(Rank rank, Block b) const;
  /// The canonical name of a position, as input and output may overlap.
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
