// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include "replay/recorder/clocks.hpp"
#include "replay/recorder/handles.hpp"
#include "replay/recorder/sink.hpp"
#include "replay/recorder/window.hpp"
#include "replay/trace/event.hpp"

namespace collcast::recorder {

/// Why calls on a communicator with processes outside the world are lost.
inline constexpr const char* beyond_world = "on a communicator beyond MPI_COMM_WORLD";

/// When a call was made, and how long it took [ns].
struct Timing {
  std::int64_t compute;   ///< CPU time of the thread since its previous call
  std::int64_t duration;  ///< time inside the call
  std::int64_t end;       ///< wall clock at its end
  std::int64_t ended;     ///< calls of other threads that had ended when this one began
};

/// The recording of this process, from the end of MPI_Init to MPI_Finalize.
class Session {
 public:
  static Session& instance();

  void start();
  void finish();
  /// Writes what is buffered when the process ends without MPI_Finalize, unless it ends inside a call.
  void abandon();
  bool recording() const { return recording_; }

  Communicators comms;
  Requests requests;
  std::unordered_map<MPI_Message, trace::Event> messages;  ///< matched by a probe, to be received
  bool cancels = false;                                    ///< some request was cancelled

  /// The event to fill for the call that is ending; its lists keep their memory.
  trace::Event& blank(trace::Op op);
  /// Sets the event's communicator. If a replay cannot play on that, counts the call as lost and returns
  /// false.
  bool set_communicator(trace::Event& event, MPI_Comm comm);
  /// Numbers the communicator that the call made.
  void number_new_communicator(trace::Event& event, MPI_Comm comm);
  /// The same for a communicator that cannot be used yet and has the group of `parent`.
  void number_new_communicator_like(trace::Event& event, MPI_Comm comm, MPI_Comm parent);
  /// Numbers the request that the call made.
  void begin(trace::Event& event, MPI_Request handle, bool persistent);
  /// The number of the message that a receive with wildcards took; none if the whole run is recorded.
  std::int64_t number_of(const trace::Completion& done, trace::CommId comm);
  /// Counts a call in the window that a replay cannot play.
  void lose(const char* operation, const char* reason);

  /// Appends the event, with the thread's unsuccessful tests and probes before it folded into it.
  void commit(trace::Event& event, const Timing& timing);
  /// Remembers an unsuccessful test or probe.
  void poll(trace::Op op, const Timing& timing);

  /// Numbers the calling thread: the least number that no living thread has.
  void enter();
  /// Frees the number of the calling thread, as the thread ends.
  void leave();
  /// How many calls of other threads than the calling one have ended.
  std::int64_t others_ended() const;

  std::mutex mutex;

 private:
  /// What belongs to a thread number. Threads have a number one after the other, and their calls count
  /// together.
  struct Thread {
    std::int64_t ended = 0;
    trace::Event polls;  ///< unsuccessful polls that are not written yet; its count is 0 if there are none
    std::int64_t ended_before = 0;  ///< calls of other threads that ended before the first of these polls
  };

  bool set_window(const char* text);
  void number(trace::Event& event);
  Thread& caller();
  void put(Thread& thread, trace::Event& event, std::int64_t ended_before, std::int64_t now_ns);
  void put_polls(Thread& thread, std::int64_t now_ns);
  void fold_polls(Thread& thread, trace::Event& event, std::int64_t& ended_before, std::int64_t now_ns);
  /// Whether the event lies in the window. Moves the place on behind it.
  bool pass(const trace::Event& event, std::int64_t now_ns);
  void move_on(std::int64_t now_ns);

  std::atomic<bool> recording_ = false;  ///< asked by each call, without the mutex
  std::atomic<std::int64_t> ended_ = 0;  ///< events written
  std::vector<Thread> threads_;
  std::set<int> free_;  ///< numbers of threads that ended
  pid_t process_ = 0;
  Window window_;
  MessageNumbers numbers_;
  std::int64_t place_ = 0;        ///< collectives called on the world so far
  std::int64_t wall_ns_ = 0;      ///< time spent inside the window
  std::int64_t previous_ns_ = 0;  ///< end of the call before
  Sink sink_;
  trace::Event event_;
};

/// One intercepted call: stops the computation's clock when made, starts it again when destroyed.
class Call {
 public:
  Call();
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Marks the end of the MPI library's work.
  void returned();
  void commit(trace::Event& event);
  void poll(trace::Op op);

 private:
  Timing timing() const;

  std::int64_t begin_ns_ = 0, end_ns_ = 0, ended_before_ = 0;
  bool outermost_;
  bool used_ = false;
};

/// True inside an intercepted call: what the MPI library calls in turn is not recorded.
bool inside_call();

}  // namespace collcast::recorder
