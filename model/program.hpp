// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/schedule.hpp"
#include "model/units.hpp"

namespace collcast {

/// One operation of a rank. Messages with the same sender, receiver and tag match in the order of their
/// posting.
struct Op {
  enum class Kind : std::uint8_t {
    compute,    ///< occupies the rank's processor for `time`
    pause,      ///< lasts `time`, whatever the processor does
    send,       ///< sends `bytes` to `peer`
    receive,    ///< receives `bytes` from `peer`; with Combine::reduce reduces them into own data
    copy,       ///< copies `bytes` from memory `from` to memory `to` of the same rank
    multicast,  ///< sends `bytes` to every rank of `group`, replicated by the network; each posts a `receive`
    start,      ///< starts strand `strand` of the batch
    wait,       ///< waits for `request`
    join,       ///< waits until `count` strands of this rank have come to join `tag`
    meet,       ///< waits until `time` after `count` strands of any ranks have come to meeting `tag`; longer
                ///< if the loads of a rank's meetings add up to more than its links carry
  };
  Kind kind = Kind::compute;
  Combine combine = Combine::copy;
  Memory from = Memory::device, to = Memory::device;  ///< memories of the sender and of the receiver
  Rank peer = 0;             ///< of a meet: the number of the explanation of its time
  std::int32_t request = 0;  ///< not 0: nonblocking; the strand goes on and may `wait` for this number
  std::uint32_t strand = 0;
  std::int32_t count = 0;  ///< of a start: the rank's track that the strand plays on; 0: its parent's
  Bytes bytes;             ///< of a start: the size that observers are told
  Seconds time;
  std::uint64_t tag = 0;
  std::uint64_t order = 0;  ///< messages that reach a port at the same instant pass it in this order
  /// Of a send, if not 0: the network reduces the `merged` messages with this `order` and `tag` to one on
  /// their way. The receiver posts a `receive` for each.
  std::int32_t merged = 0;
  /// Of a meet: the share of its time in which it uses all that the links of its ranks carry.
  /// `between_nodes`: the links between nodes, not those within them.
  double load = 0;
  bool between_nodes = false;
  bool other_sender = false;  ///< of a send: its schedule's last message to `peer` came from another rank
  bool channel = false;       ///< of a start: the strand is a channel of this one's schedule
  Ranks group;
  const std::vector<Rank>* members =
      nullptr;  ///< the program's ranks that the numbers of `group` stand for; null: themselves
  std::uint32_t first_piece = 0, pieces = 0;  ///< in Batch::pieces: the blocks moved, in a detailed program

  Rank group_member(Rank i) const {
    return members ? (*members)[static_cast<std::size_t>(group[i])] : group[i];
  }
};

class Strand;

/// Operations that start together. The strand goes on when all blocking ones are done.
struct Batch {
  std::vector<Op> ops;
  std::vector<Chunk> pieces;
  std::vector<std::unique_ptr<Strand>> strands;  ///< strands that `start` operations start, each once
  std::int64_t step = -1;                        ///< the step of a schedule that this batch is; -1: none
  void clear() { ops.clear(), pieces.clear(), strands.clear(), step = -1; }
};

/// A sequence of batches of one rank, generated one at a time so that a program need not fit into memory.
class Strand {
 public:
  virtual ~Strand() = default;
  /// Fills the empty `batch`; false at the end of the strand.
  virtual bool next(Batch& batch) = 0;
};

/// What every rank does. Schedules, traces and jobs are lowered to programs, which engines play.
class Program {
 public:
  virtual ~Program() = default;
  virtual Rank ranks() const = 0;
  /// The main strand of a rank; called once for each rank. The program outlives its strands.
  virtual std::unique_ptr<Strand> main(Rank rank) = 0;
  /// The words that name the program, a tag of a message or meeting, or a request, in the report of a
  /// deadlock.
  virtual std::string name() const { return {}; }
  virtual std::string name_of_tag(std::uint64_t tag) const { return "tag " + std::to_string(tag); }
  virtual std::string name_of_request(std::int32_t request) const {
    return "request " + std::to_string(request) + ", never begun";
  }
};

}  // namespace collcast
