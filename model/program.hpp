// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/schedule.hpp"
#include "model/units.hpp"

namespace collcast {

/// One operation of a rank. Messages with the same sender, receiver and tag match in order.
struct Op {
  enum class Kind : std::uint8_t {
    compute,    ///< `time` of the rank's processor
    pause,      ///< `time` passes, whatever the processor does
    send,       ///< `bytes` to `peer`
    receive,    ///< `bytes` from `peer`; with Combine::reduce they are then reduced into own data
    copy,       ///< `bytes` from memory `from` to memory `to` of the same rank
    multicast,  ///< `bytes` to every rank of `group`, replicated by the network; received by `receive`
    start,      ///< strand `strand` of the batch
    wait,       ///< until `request` is done
    join,       ///< until `count` strands of this rank have come to join `tag`
    meet,       ///< until `time` after `count` strands of all ranks have come to meeting `tag`
  };
  Kind kind = Kind::compute;
  Combine combine = Combine::copy;
  Memory from = Memory::device, to = Memory::device;  ///< memories of the sender and of the receiver
  Rank peer = 0;             ///< of a meeting: the number of what its time is explained by
  std::int32_t request = 0;  ///< not 0: does not hold up its strand; `wait` on this number does
  std::uint32_t strand = 0;
  std::int32_t count = 0;  ///< of a start: the track of the rank that it plays on; 0: that of its strand
  Bytes bytes;             ///< of a start: what those who observe are told
  Seconds time;
  std::uint64_t tag = 0;
  std::uint64_t order = 0;  ///< messages that come to a port at the same instant pass it in this order
  /// Of a send, if not 0: the network reduces it on its way into one message with those of the same `order`
  /// and `tag`, so many in all; each has a `receive` of its own.
  std::int32_t merged = 0;
  Ranks group;
  const std::vector<Rank>* members =
      nullptr;  ///< names of the group's ranks, if they differ from their numbers
  std::uint32_t first_piece = 0,
                pieces = 0;  ///< of Batch::pieces: which blocks, where the program moves real data

  Rank group_member(Rank i) const {
    return members ? (*members)[static_cast<std::size_t>(group[i])] : group[i];
  }
};

class Strand;

/// Operations that start together. The strand goes on when all those without a request are done.
struct Batch {
  std::vector<Op> ops;
  std::vector<Chunk> pieces;
  std::vector<std::unique_ptr<Strand>> strands;  ///< what `start` operations start, each once
  std::int64_t step = -1;                        ///< of a schedule, that it is; -1: none
  void clear() { ops.clear(), pieces.clear(), strands.clear(), step = -1; }
};

/// A sequence of batches of one rank, handed out one by one so that a program need not fit into memory.
class Strand {
 public:
  virtual ~Strand() = default;
  /// Fills `batch`, which is empty; false at the end.
  virtual bool next(Batch& batch) = 0;
};

/// What every rank does: the one thing that players play. Schedules and recorded traces lower to it.
class Program {
 public:
  virtual ~Program() = default;
  virtual Rank ranks() const = 0;
  /// The main strand of a rank; asked for once per rank. The program outlives its strands.
  virtual std::unique_ptr<Strand> main(Rank rank) = 0;
};

}  // namespace collcast
