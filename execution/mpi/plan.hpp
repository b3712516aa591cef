// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "model/schedule.hpp"

namespace collcast::mpi {

/// Where the elements of a rank are: in the caller's buffers, in blocks on their way through this rank, or in
/// what a channel keeps for the length of a step. The last two are areas of their own in each memory; the dpu
/// is host memory.
struct Address {
  enum Area : std::uint16_t { send, recv, own };
  std::uint16_t area = send;
  std::size_t offset = 0;  ///< in elements
  bool operator==(const Address&) const = default;

  static std::uint16_t scratch(Memory m) { return static_cast<std::uint16_t>(own + (m != Memory::device)); }
  static std::uint16_t spare(int channel, Memory m) {
    return static_cast<std::uint16_t>(scratch(m) + 2 + 2 * channel);
  }
  static std::size_t areas(int channels) { return own + 2 + 2 * static_cast<std::size_t>(channels); }
  bool in_host_memory() const { return area >= own && (area - own) % 2 == 1; }
};

/// Consecutive elements.
struct Segment {
  Address at;
  std::size_t count = 0;
};

/// One message of this rank: an MPI message, or an IP multicast.
struct Message {
  Address at;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;  ///< the call's, or a derived one where the elements are scattered
  int peer = 0;
  int channel = 0;
  Memory other = Memory::device;  ///< the peer's
  std::int32_t multicast = -1;    ///< the number of a message that goes to a group at once
  Ranks group = {};               ///< who receives it then
};

/// Elements copied, or reduced into others, within this rank.
struct Move {
  Address from, to;
  std::size_t count = 0;
  bool reduce = false;
};

struct Range {
  std::uint32_t begin = 0, end = 0;
};

/// One step of one channel of one rank: moves that prepare its messages, the messages, moves that may run
/// beside them, and moves that wait for them.
struct PlanStep {
  Range before, receives, sends, beside, after;
  int join = -1;  ///< first wait for all the channels that come to this join
};

struct ChannelPlan {
  std::vector<PlanStep> steps;
  std::vector<Message> messages;
  std::vector<Move> moves;
  std::size_t most_messages = 0;  ///< of a step
};

/// MPI datatypes, freed together.
class DerivedTypes {
 public:
  DerivedTypes() = default;
  DerivedTypes(DerivedTypes&& other) noexcept : types_(std::move(other.types_)) { other.types_.clear(); }
  DerivedTypes& operator=(DerivedTypes&&) = delete;
  ~DerivedTypes();
  /// The segments, all of one area, as one type relative to the area's begin.
  MPI_Datatype make(const std::vector<Segment>& segments, MPI_Datatype element, MPI_Aint extent);

 private:
  std::vector<MPI_Datatype> types_;
};

/// All that one rank does in a collective. Addresses are relative, so it is played with any buffers.
struct Plan {
  std::vector<ChannelPlan> channels;
  std::vector<int> joins;      ///< how many channels come to each
  std::vector<Move> at_first;  ///< any time before the last step, best while messages are under way
  std::vector<Move> at_last;
  std::vector<std::size_t> elements;  ///< of each area; of the caller's, 0
  DerivedTypes types;
};

}  // namespace collcast::mpi
