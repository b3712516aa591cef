// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "replay/trace/event.hpp"

namespace collcast::recorder {

/// The communicators that this rank has met, numbered in the order of meeting; world is 0.
class Communicators {
 public:
  /// Numbers a new communicator and returns its world ranks. Gives it no number and returns none if it is an
  /// intercommunicator or has processes outside the world.
  std::vector<int> add(MPI_Comm comm);
  void remove(MPI_Comm comm);
  /// The communicator's number; nothing if it is unknown.
  std::optional<trace::CommId> find(MPI_Comm comm);
  /// The number that the next communicator gets.
  trace::CommId next() const { return next_; }
  /// Numbers a communicator that has the group of a known one, before its handle can be used.
  trace::CommId add_like(MPI_Comm comm);

 private:
  std::unordered_map<MPI_Comm, trace::CommId> ids_;
  MPI_Comm last_ = MPI_COMM_NULL;
  trace::CommId last_id_ = trace::none;
  trace::CommId next_ = 0;
};

/// World ranks of a communicator's group, in its order.
std::vector<int> world_ranks(MPI_Comm comm);

/// Numbers the messages of each communicator, peer and tag, in and outside a window. As both ends of a
/// message get the same number, a merge knows which messages cross the window's edges.
class MessageNumbers {
 public:
  std::int64_t next_sent(trace::CommId comm, int peer, int tag) { return next({comm, peer, tag, true}); }
  std::int64_t next_received(trace::CommId comm, int peer, int tag) { return next({comm, peer, tag, false}); }

 private:
  using Channel = std::tuple<trace::CommId, int, int, bool>;
  std::int64_t next(const Channel& channel);

  std::map<Channel, std::int64_t> counts_;
};

/// An active request.
struct Pending {
  trace::RequestId id = trace::none;
  trace::CommId comm = trace::none;
  bool wildcard = false;                  ///< a receive from any source or with any tag
  bool persistent = false;                ///< the handle outlives the completion
  std::shared_ptr<trace::Event> outside;  ///< its event, if it began outside the window
};

/// The requests of this rank. An MPI library may give one handle to several requests that are already done.
class Requests {
 public:
  /// The number that the next request gets.
  trace::RequestId next() const { return next_; }
  /// Numbers the request of an event; `outside`: the event is outside the window.
  void begin(MPI_Request handle, trace::Event& event, bool persistent, bool outside);
  /// Returns the messages under way that began outside the window, in order; from now on they count as inside
  /// it.
  std::vector<std::shared_ptr<trace::Event>> take_in();
  /// The active request of a handle, or null.
  const Pending* find(MPI_Request handle) const;
  /// Forgets the active request of a handle.
  void end(MPI_Request handle);

  void make_persistent(MPI_Request handle, const trace::Event& start) { starts_[handle] = start; }
  /// What MPI_Start does with a handle; null: not known.
  const trace::Event* start_of(MPI_Request handle) const;
  /// Frees a handle; its operation still completes, unseen.
  void release(MPI_Request handle);

 private:
  std::unordered_multimap<MPI_Request, Pending> active_;
  std::unordered_map<MPI_Request, trace::Event> starts_;
  trace::RequestId next_ = 0;
};

/// Size of a datatype [bytes].
std::int64_t size_of(MPI_Datatype type);

trace::Reduction reduction_of(MPI_Op op);

}  // namespace collcast::recorder
