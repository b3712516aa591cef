// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace collcast::mpi {

/// Where the elements of a rank are: in the caller's buffers, in blocks on their way through this rank, or in
/// what a channel keeps for the length of a step (area `spare + channel`).
struct Address {
  enum Area : std::uint16_t { send, recv, scratch, spare };
  std::uint16_t area = send;
  std::size_t offset = 0;  ///< in elements
  bool operator==(const Address&) const = default;
};

/// Consecutive elements.
struct Segment {
  Address at;
  std::size_t count = 0;
};

/// One MPI message of this rank.
struct Message {
  Address at;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;  ///< the call's, or a derived one where the elements are scattered
  int peer = 0;
  int channel = 0;
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
  std::size_t spare_elements = 0;
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
  std::size_t scratch_elements = 0;
  DerivedTypes types;
};

}  // namespace collcast::mpi
