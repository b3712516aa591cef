// SPDX-License-Identifier: Apache-2.0
#include "algorithms/exchange/msccl_buffers.hpp"

#include <algorithm>

namespace collcast::msccl {
namespace {

constexpr Block most_cells = Block{1} << 26;

}  // namespace

Buffers::Shape Buffers::shape(Collective collective) {
  switch (collective) {
    case Collective::allgather:
      return Shape::gathers;
    case Collective::reduce_scatter:
      return Shape::scatters;
    case Collective::alltoall:
      return Shape::transposes;
    default:
      return Shape::whole;
  }
}

Buffers::Buffers(const Program& program)
    : shape_(shape(program.collective)), ranks_(program.ranks()), in_place_(program.in_place) {
  Block input = 0, output = 0;
  for (const Gpu& gpu : program.gpus) {
    input = std::max(input, gpu.input);
    output = std::max(output, gpu.output);
  }
  one_buffer_ = in_place_ && output == 0;
  Block blocks = input;
  if (shape_ == Shape::gathers && !one_buffer_) blocks = output;
  if (shape_ == Shape::transposes) blocks = input * ranks_;
  const Definition& d = definition(program.collective);
  if (blocks < 1 || blocks % d.blocks(ranks_) != 0)
    program.fail(1, "buffers of " + std::to_string(input) + " input and " + std::to_string(output) +
                        " output chunks do not divide among " + std::to_string(ranks_) + " ranks in this " +
                        std::string(d.name));
  if (blocks > most_cells / ranks_)
    program.fail(1, std::to_string(blocks) + " chunks on " + std::to_string(ranks_) + " ranks are too many");
  set_blocks(blocks);
  if (!in_place_ && (input != input_chunks() || output != output_chunks()))
    program.fail(1, "out of place, this " + std::string(d.name) + " has " + std::to_string(input_chunks()) +
                        " input and " + std::to_string(output_chunks()) +
                        " output chunks; the file declares " + std::to_string(input) + " and " +
                        std::to_string(output));
}

Buffers::Buffers(Collective collective, Rank ranks, Block blocks)
    : shape_(shape(collective)),
      ranks_(ranks),
      in_place_(shape_ != Shape::transposes),
      one_buffer_(shape_ == Shape::whole) {
  set_blocks(blocks);
}

Block Buffers::input_chunks() const {
  if (one_buffer_ && shape_ != Shape::transposes) return blocks_;
  return shape_ == Shape::gathers || shape_ == Shape::transposes ? share_ : blocks_;
}

Block Buffers::output_chunks() const {
  if (one_buffer_) return 0;
  return shape_ == Shape::scatters || shape_ == Shape::transposes ? share_ : blocks_;
}

Position Buffers::input(Rank rank, Block b) const {
  const bool own_part = shape_ == Shape::transposes || (shape_ == Shape::gathers && !one_buffer_);
  return resolved(rank, {'i', own_part ? b - rank * share_ : b});
}

Position Buffers::output(Rank rank, Block b) const {
  if (shape_ == Shape::transposes) {
    const Block pair = share_ / ranks_, origin = b / share_;
    return resolved(rank, {'o', origin * pair + b % pair});
  }
  if (shape_ == Shape::scatters && !one_buffer_) b -= rank * share_;
  return resolved(rank, {'o', b});
}

Position Buffers::resolved(Rank rank, Position p) const {
  if (!in_place_ || p.buffer == 's') return p;
  if (one_buffer_ || shape_ == Shape::whole || shape_ == Shape::transposes) return {'i', p.offset};
  if (shape_ == Shape::gathers && p.buffer == 'i') return {'o', rank * share_ + p.offset};
  if (shape_ == Shape::scatters && p.buffer == 'o') return {'i', rank * share_ + p.offset};
  return p;
}

}  // namespace collcast::msccl
