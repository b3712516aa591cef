// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "model/schedule.hpp"

namespace collcast::mpi {

/// Where elements of a rank are: in the caller's send or receive buffer, in scratch for blocks that only pass
/// through this rank, or in a channel's spare area, which lasts for a step. Scratch and spares exist in
/// device and in host memory; a DPU's memory counts as host memory.
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

/// One end of a message: an MPI message, or an IP multicast.
struct Message {
  Address at;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;  ///< the call's; a derived one if the elements are scattered
  int peer = 0;
  int channel = 0;
  Memory other = Memory::device;  ///< the peer's memory
  std::int32_t multicast = -1;    ///< number of the IP multicast; -1: an MPI message
  Ranks group = {};               ///< the receivers of an IP multicast
};

/// Elements that this rank copies to, or reduces into, others of its own.
struct Move {
  Address from, to;
  std::size_t count = 0;
  bool reduce = false;
};

struct Range {
  std::uint32_t begin = 0, end = 0;
};

/// One step of one channel of one rank.
struct PlanStep {
  Range before;           ///< moves that must be done before the messages start
  Range receives, sends;  ///< messages
  Range beside;           ///< moves that may run while messages are in progress
  Range after;            ///< moves that wait for the messages
  int join = -1;          ///< the join to wait for first; -1: none
};

struct ChannelPlan {
  std::vector<PlanStep> steps;
  std::vector<Message> messages;
  std::vector<Move> moves;
  std::size_t most_messages = 0;  ///< the most messages of a step
};

/// MPI datatypes, freed together.
class DerivedTypes {
 public:
  DerivedTypes() = default;
  DerivedTypes(DerivedTypes&& other) noexcept : types_(std::move(other.types_)) { other.types_.clear(); }
  DerivedTypes& operator=(DerivedTypes&&) = delete;
  ~DerivedTypes();
  /// A type of these segments of one area, relative to the begin of the area.
  MPI_Datatype make(const std::vector<Segment>& segments, MPI_Datatype element, MPI_Aint extent);

 private:
  std::vector<MPI_Datatype> types_;
};

/// All that one rank does in a collective. Addresses are relative, so that a plan is played with any buffers.
struct Plan {
  std::vector<ChannelPlan> channels;
  std::vector<int> joins;      ///< by join: how many channels take part
  std::vector<Move> at_first;  ///< any time before the last step, best while messages are in progress
  std::vector<Move> at_last;
  std::vector<std::size_t> elements;  ///< by area; 0 for the caller's buffers
  DerivedTypes types;
};

}  // namespace collcast::mpi
