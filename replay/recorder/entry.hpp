// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <mutex>
#include <tuple>

#include "replay/recorder/session.hpp"
#include "replay/trace/op.hpp"

/// The functions behind the MPI symbols: a template for each kind of call, instantiated from the MPI
/// function's own signature.
namespace collcast::recorder {

/// Whether a recording runs and this call is the application's own, not one that the MPI library makes.
inline bool active() {
  return Session::instance().recording() && !inside_call();
}

/// Commits the event that `fill` makes of a call's arguments, if the call succeeded.
template <class Fill>
void conclude(Call& call, trace::Op op, int status, Fill fill, bool nonblocking = false) {
  call.returned();
  Session& session = Session::instance();
  const std::lock_guard lock(session.mutex);
  if (status != MPI_SUCCESS)
    return session.lose(trace::mpi_name(op, nonblocking).c_str(), "returned an error");
  trace::Event& event = session.blank(op);
  if (nonblocking) event.request = session.requests.next();
  if (fill(session, event)) call.commit(event);
}

/// Ends an unsuccessful probe or test.
inline void poll(Call& call, trace::Op op) {
  call.returned();
  const std::lock_guard lock(Session::instance().mutex);
  call.poll(op);
}

/// A send or a collective that is done when it returns.
template <trace::Op op, auto fill, auto real>
struct Blocking;
template <trace::Op op, class... A, bool (*fill)(Session&, trace::Event&, A...), auto real>
struct Blocking<op, fill, real> {
  static int call(A... args) {
    if (!active()) return real(args...);
    Call timing;
    const int status = real(args...);
    conclude(timing, op, status, [&](Session& s, trace::Event& e) { return fill(s, e, args...); });
    return status;
  }
};

/// The non-blocking form of such a call: the same arguments, and a request.
template <trace::Op op, auto fill, auto real>
struct Nonblocking;
template <trace::Op op, class... A, bool (*fill)(Session&, trace::Event&, A...), auto real>
struct Nonblocking<op, fill, real> {
  static int call(A... args, MPI_Request* request) {
    if (!active()) return real(args..., request);
    Call timing;
    const int status = real(args..., request);
    conclude(
        timing, op, status,
        [&](Session& s, trace::Event& e) {
          if (!fill(s, e, args...)) return false;
          s.begin(e, *request, false);
          return true;
        },
        true);
    return status;
  }
};

/// MPI_Send_init and its like: describes what MPI_Start will do, and communicates nothing itself.
template <trace::Op op, auto fill, auto real>
struct Persistent;
template <trace::Op op, class... A, bool (*fill)(Session&, trace::Event&, A...), auto real>
struct Persistent<op, fill, real> {
  static int call(A... args, MPI_Request* request) {
    if (!active()) return real(args..., request);
    Call timing;
    const int status = real(args..., request);
    conclude(timing, op, status, [&](Session& s, trace::Event& e) {
      if (fill(s, e, args...)) s.requests.make_persistent(*request, e);
      return false;
    });
    return status;
  }
};

/// A call that makes a communicator: its first argument is the parent, its last the new communicator.
template <trace::Op op, auto real>
struct Creation;
template <trace::Op op, class... A, int (*real)(MPI_Comm, A...)>
struct Creation<op, real> {
  static int call(MPI_Comm parent, A... args) {
    if (!active()) return real(parent, args...);
    Call timing;
    const int status = real(parent, args...);
    conclude(timing, op, status, [&](Session& s, trace::Event& e) {
      const bool playable = s.set_communicator(e, parent);
      s.number_new_communicator(e, *std::get<sizeof...(A) - 1>(std::tuple(args...)));
      return playable;
    });
    return status;
  }
};

/// A call that is seen but not modelled: counted by name.
template <const char* name, auto real>
struct Counted;
template <const char* name, class... A, int (*real)(A...)>
struct Counted<name, real> {
  static int call(A... args) {
    if (!active()) return real(args...);
    Call timing;
    {
      Session& session = Session::instance();
      const std::lock_guard lock(session.mutex);
      session.lose(name, "not modelled");
    }
    return real(args...);
  }
};

}  // namespace collcast::recorder
