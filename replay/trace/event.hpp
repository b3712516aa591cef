// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/units.hpp"
#include "replay/trace/op.hpp"

namespace collcast::trace {

/// A communicator of the trace: an index into Reader::communicators(). World is 0.
using CommId = std::int32_t;
/// A request of one rank: counts its non-blocking operations from 0, never reused.
using RequestId = std::int64_t;

inline constexpr CommId world = 0;
/// Absent rank, root, tag, communicator or request.
inline constexpr int none = -1;
/// MPI_ANY_SOURCE or MPI_ANY_TAG of a receive that the recording never saw complete.
inline constexpr int any = -2;
/// MPI_PROC_NULL: nothing moves.
inline constexpr int proc_null = -3;
/// MPI_ROOT of an operation between groups.
inline constexpr int root_of_group = -4;

/// One request that a wait or test completed.
struct Completion {
  RequestId request = none;
  int source = none;  ///< the sender, as rank of the receive's communicator; none unless it was a wildcard
  int tag = none;     ///< tag that it matched; none unless it was a wildcard
  bool cancelled = false;
  std::int64_t number = none;  ///< of its message, as Event::recv_number; none unless it was a wildcard

  bool operator==(const Completion&) const = default;
};

/// One MPI call of one rank, with the computation before it. Peers and roots are ranks in `comm`; bytes count
/// data, not gaps. Which byte fields an operation fills is in docs/trace-format.md.
struct Event {
  Op op = Op::init;
  Seconds compute;   ///< CPU time of the calling thread since the call before
  Seconds duration;  ///< wall-clock time inside the call, as recorded
  CommId comm = none;
  CommId new_comm = none;  ///< the communicator made by this call; none on ranks left out of it
  int dest = none;
  int source = none;  ///< wildcards are resolved to what they matched
  int send_tag = none;
  int recv_tag = none;
  int root = none;
  std::int64_t send_bytes = 0;
  std::int64_t recv_bytes = 0;
  std::int64_t datatype_bytes = 0;  ///< size of one element of the datatype
  Reduction reduction = Reduction::none;
  bool in_place = false;
  bool persistent = false;   ///< started by MPI_Start or MPI_Startall
  RequestId request = none;  ///< if set, the operation is non-blocking, and this is its number
  std::int64_t polls = 0;    ///< unsuccessful tests or probes folded into this event; completed is then empty
  Seconds polling;           ///< CPU time between these polls, after the first
  /// In the recording of a window, not in a trace: the number of the message that it sends or receives, among
  /// those of the run with the same sender, receiver, communicator and tag; none if not known.
  std::int64_t send_number = none, recv_number = none;
  int thread = 0;               ///< which of the rank's threads called
  std::int64_t overlapped = 0;  ///< calls of the rank's other threads that ended while this one was under way
  std::vector<std::int64_t> send_counts;  ///< bytes to each rank of `comm`
  std::vector<std::int64_t> recv_counts;  ///< bytes from each rank of `comm`
  std::vector<Completion> completed;

  bool operator==(const Event&) const = default;
  /// Whether the call only starts the operation, so that a later event completes it.
  bool nonblocking() const { return request != none && class_of(op) != OpClass::completion; }
};

/// Resets an event, and keeps the memory of its lists.
inline void clear(Event& event) {
  auto sends = std::move(event.send_counts), recvs = std::move(event.recv_counts);
  auto done = std::move(event.completed);
  sends.clear(), recvs.clear(), done.clear();
  event = Event{};
  event.send_counts = std::move(sends), event.recv_counts = std::move(recvs);
  event.completed = std::move(done);
}

}  // namespace collcast::trace
