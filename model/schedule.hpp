// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "model/memory.hpp"

namespace collcast {

using Rank = std::int32_t;
using Block = std::int64_t;

/// Where data lies: a rank and one of its memories. `Place p = 3` is rank 3's device memory.
struct Place {
  Rank rank = 0;
  Memory memory = Memory::device;

  constexpr Place() = default;
  constexpr Place(Rank r, Memory m = Memory::device) : rank(r), memory(m) {}
  constexpr bool operator==(const Place&) const = default;
};

/// Consecutive blocks of the message.
struct Chunk {
  Block first = 0;
  Block count = 1;
  constexpr bool operator==(const Chunk&) const = default;
};

/// What the receiver does with a chunk: it stores it, or reduces it into its own copy.
enum class Combine : std::uint8_t { copy, reduce };

/// The `count` ranks first, first + stride, first + 2 stride, ...: a node, a rail, all.
struct Ranks {
  Rank first = 0;
  Rank count = 0;
  Rank stride = 1;
  constexpr Rank operator[](Rank i) const { return first + i * stride; }
  constexpr bool operator==(const Ranks&) const = default;
};

/// One message: `from` sends its copy of the blocks, `to` stores or reduces them.
/// It is the send and its receive at once, so an unmatched message cannot be written.
struct Transfer {
  Place from, to;
  Chunk chunk;                  ///< if the blocks are scattered, only `count` has a meaning
  std::int32_t scattered = -1;  ///< index of the list of scattered blocks, in a detailed step
  std::uint16_t channel = 0;
  Combine combine = Combine::copy;
};

/// One message that the network replicates to every rank of `to` except the sender.
struct Multicast {
  Place from;
  Ranks to;
  Memory memory = Memory::device;  ///< of the receivers
  Chunk chunk;
  std::uint16_t channel = 0;

  /// Calls `visit(rank)` for each rank that receives it.
  template <class Visit>
  void for_each_receiver(Visit&& visit) const {
    for (Rank i = 0; i < to.count; ++i)
      if (to[i] != from.rank) visit(to[i]);
  }
};

/// One message from every rank of `from`; the network reduces them on their way to one, which `to` stores. If
/// `to` is among the senders, its own value is included. The reverse of Multicast.
struct Reduction {
  Ranks from;
  Place to;
  Memory memory = Memory::device;  ///< of the senders
  Chunk chunk;
  std::uint16_t channel = 0;
  std::uint32_t behind = 0;  ///< how many multicasts of its step precede it

  /// Calls `visit(rank)` for each rank that sends a message to another.
  template <class Visit>
  void for_each_sender(Visit&& visit) const {
    for (Rank i = 0; i < from.count; ++i)
      if (from[i] != to.rank) visit(from[i]);
  }
};

/// Messages that read what earlier steps left. A rank enters its next step when its own messages are done.
class Step {
 public:
  /// A detailed step lists the blocks of scattered messages, as the proof and the execution need.
  explicit Step(bool detailed = false) : detailed_(detailed) {}

  void send(Place from, Place to, Chunk chunk, Combine combine = Combine::copy) {
    transfers.push_back({from, to, chunk, -1, 0, combine});
  }
  /// A message of `count` blocks that are not consecutive: `list(add)` calls `add(Chunk)` for each run of
  /// consecutive ones, in order.
  template <class List>
  void send_scattered(Place from, Place to, Block count, Combine combine, List&& list);
  /// A message of `count` blocks from `first` on, modulo `blocks`.
  void send_cyclic(Place from, Place to, Block first, Block count, Block blocks,
                   Combine combine = Combine::copy);
  void multicast(Place from, Ranks to, Chunk chunk, Memory memory = Memory::device) {
    multicasts.push_back({from, to, memory, chunk, 0});
  }
  void reduce_in_network(Ranks from, Place to, Chunk chunk, Memory memory = Memory::device) {
    reductions.push_back({from, to, memory, chunk, 0, static_cast<std::uint32_t>(multicasts.size())});
  }
  /// Before this step a rank, or each one if it is `everyone`, waits until its channels [first, last) are all
  /// done.
  struct Join {
    static constexpr Rank everyone = -1;
    std::uint16_t first, last;
    Rank rank = everyone;
  };

  /// The runs of consecutive blocks of a message, in order. If it is scattered, the step must be detailed.
  std::span<const Chunk> pieces(const Transfer& t) const;

  /// Calls `multicast` and `reduction` for the messages that the network replicates and reduces, in the order
  /// in which they were added, which is that in which ports serve them.
  template <class OfMulticast, class OfReduction>
  void for_each_switched(OfMulticast&& multicast, OfReduction&& reduction) const;

  bool detailed() const { return detailed_; }
  void clear();

  std::vector<Transfer> transfers;
  std::vector<Multicast> multicasts;
  std::vector<Reduction> reductions;
  std::vector<Join> joins;

  /// The runs of all scattered messages; those of message i end at `scattered_ends[i]`.
  std::vector<Chunk> scattered_pieces;
  std::vector<std::size_t> scattered_ends;

 private:
  bool detailed_;
};

/// A collective as data: what moves, in which order. It says nothing of time, network or machine.
/// `rule(s, step)` appends the messages of step s; readings go through a schedule step by step.
struct Schedule {
  using Rule = std::function<void(std::int64_t, Step&)>;

  Rank ranks = 1;
  Block blocks = 1;
  std::int64_t steps = 0;
  Rule rule;
  int channels = 1;  ///< independent sequences of steps that run side by side
  /// How many of these make up one channel of a kernel: two if separate threads bring data back.
  int ways = 1;
};

/// Calls `read(step)` for each step in order, reusing one Step, until it returns false.
template <class Read>
void for_each_step(const Schedule& schedule, bool detailed, Read&& read) {
  Step step(detailed);
  for (std::int64_t s = 0; s < schedule.steps; ++s) {
    step.clear();
    schedule.rule(s, step);
    if constexpr (std::is_void_v<decltype(read(step))>)
      read(step);
    else if (!read(step))
      return;
  }
}

/// Messages and blocks between ranks, of the whole schedule and of the busiest sender. Copies within a rank
/// do not count.
struct Traffic {
  std::int64_t messages = 0;
  std::int64_t blocks = 0;
  std::int64_t max_messages_sent = 0;
  std::int64_t max_blocks_sent = 0;
};
Traffic traffic(const Schedule& schedule);

template <class OfMulticast, class OfReduction>
void Step::for_each_switched(OfMulticast&& multicast, OfReduction&& reduction) const {
  std::size_t next = 0;
  for (const Reduction& m : reductions) {
    while (next < m.behind) multicast(multicasts[next++]);
    reduction(m);
  }
  while (next < multicasts.size()) multicast(multicasts[next++]);
}

template <class List>
void Step::send_scattered(Place from, Place to, Block count, Combine combine, List&& list) {
  std::int32_t index = -1;
  if (detailed_) {
    index = static_cast<std::int32_t>(scattered_ends.size());
    list([this](Chunk piece) { scattered_pieces.push_back(piece); });
    scattered_ends.push_back(scattered_pieces.size());
  }
  transfers.push_back({from, to, {0, count}, index, 0, combine});
}

}  // namespace collcast
