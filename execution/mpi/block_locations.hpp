// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "execution/mpi/elements.hpp"
#include "execution/mpi/plan.hpp"

namespace collcast::mpi {

/// The buffers that the caller gives. no: a send and a receive buffer. input: one buffer that holds the
/// input, at its place in the output, and becomes the output. output: at the root of a scatter, one buffer
/// that holds the input; the output is a part of that.
enum class InPlace : std::uint8_t { no, input, output };

/// The call as one rank sees it.
struct Part {
  Collective collective = Collective::allreduce;
  Rank rank = 0, ranks = 1, root = 0;
  InPlace in_place = InPlace::no;
};

/// Elements of the send and of the receive buffer.
std::size_t sent(const Part& part, Block blocks, const Elements& elements);
std::size_t received(const Part& part, Block blocks, const Elements& elements);

/// Where each block of a rank lies while its plan is made. The send buffer holds the initial blocks in order,
/// the receive buffer the final ones. A block stays in place until something is written to it; then it moves
/// to its home, which is its place in the receive buffer, or scratch if it only passes through this rank.
class BlockLocations {
 public:
  struct State {
    Address at, home;
    std::size_t count = 0;
    bool held = false, has_home = false, multicast = false;
    std::uint64_t read = 0, written = 0, to_be_written = 0;  ///< number of the last step that does it
  };
  /// A home in scratch. Homes are kept in the order in which they were needed.
  struct Passing {
    Memory memory;
    Block block;
    std::size_t count;
    bool scattered;  ///< first came in a scattered message
    Address home;
  };

  BlockLocations(const Part& part, Block blocks, const Elements& elements);

  State& operator()(Memory memory, Block block) {
    State& s = states_[static_cast<std::size_t>(memory)][block];
    if (s.count == 0 && !s.held) s.count = elements_.size(block);
    return s;
  }
  /// Gives the block a home if it has none.
  const Address& home(Memory memory, Block block, bool scattered);
  /// The final blocks in order, and where the caller wants them.
  const std::vector<std::pair<Block, Address>>& finals() const { return finals_; }

  /// Starts the plan again but keeps the homes, now adjacent in the order in which trees forward the blocks.
  void restart();

  /// Allocates `count` more elements of scratch in that memory.
  Address more_scratch(Memory memory, std::size_t count);
  std::size_t scratch_elements(bool host) const { return scratch_[host]; }

 private:
  using Positions = std::unordered_map<Block, std::size_t>;
  Positions packed(const std::vector<Holding>& holdings) const;
  void place_initial();
  void place_final();
  /// Whether `a` overlaps another block's initial elements.
  bool covers_other(Block block, Address a, std::size_t count) const;

  Part part_;
  Block blocks_;
  const Elements& elements_;
  std::vector<Holding> initial_, final_;
  std::array<std::unordered_map<Block, State>, 3> states_;
  std::vector<std::pair<Block, Address>> finals_;
  std::unordered_map<Block, Address> final_homes_;
  /// In place: begin, end and block of each initial block in the receive buffer, by begin.
  std::vector<std::tuple<std::size_t, std::size_t, Block>> occupied_;
  std::vector<Passing> passing_;
  std::array<std::size_t, 2> scratch_{};  ///< in device and in host memory
};

}  // namespace collcast::mpi
