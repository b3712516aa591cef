// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "replay/recorder/entry.hpp"
#include "replay/recorder/fill.hpp"
#include "replay/recorder/special.hpp"

namespace collcast::recorder::special {
namespace {

using trace::Event;
using trace::Op;

/// The requests of a wait or test as they were before the call, and the statuses that we need.
class Watched {
 public:
  Watched(int count, const MPI_Request* requests) : handles_(requests, requests + count) {
    Session& session = Session::instance();
    const std::lock_guard lock(session.mutex);
    wants_ = session.cancels;
    for (auto handle : handles_) {
      const Pending* pending = session.requests.find(handle);
      wants_ = wants_ || (pending && pending->wildcard);
    }
  }

  /// The statuses to hand to MPI: the application's, or `slots` of our own if it ignores them and we need
  /// them.
  MPI_Status* statuses(MPI_Status* theirs, MPI_Status* ignore, std::size_t slots) {
    if (theirs != ignore) return use_ = theirs;
    if (!wants_) return ignore;
    own_.resize(slots);
    return use_ = own_.data();
  }

  /// Asks for the status of the only request, as nothing else will tell it.
  void look() {
    int done = 0;
    own_.resize(1);
    if (wants_ && PMPI_Request_get_status(handles_[0], &done, own_.data()) == MPI_SUCCESS && done)
      use_ = own_.data();
  }

  /// Adds request `index` to the event's completions; its status is in slot `slot`.
  void complete(Session& session, Event& event, int index, int slot) const {
    const MPI_Request handle = handles_[static_cast<std::size_t>(index)];
    const Pending* pending = session.requests.find(handle);
    if (!pending) return;
    trace::Completion done{pending->id};
    if (use_ && session.cancels) done.cancelled = cancelled(use_[slot]);
    if (use_ && pending->wildcard && !done.cancelled) {
      done.source = fill::peer(use_[slot].MPI_SOURCE);
      done.tag = use_[slot].MPI_TAG;
      done.number = session.number_of(done, pending->comm);
    }
    if (pending->outside)
      session.lose(trace::mpi_name(pending->outside->op, true).c_str(), "began outside the window");
    else
      event.completed.push_back(done);
    session.requests.end(handle);
  }

 private:
  static bool cancelled(const MPI_Status& status) {
    int flag = 0;
    PMPI_Test_cancelled(&status, &flag);
    return flag != 0;
  }

  std::vector<MPI_Request> handles_;
  bool wants_ = false;
  MPI_Status* use_ = nullptr;
  std::vector<MPI_Status> own_;
};

/// Commits what a wait completed. A wait for no known request is no event.
template <class Add>
void finish(Call& call, Op op, int result, Add add) {
  conclude(call, op, result, [&](Session& s, Event& e) {
    add(s, e);
    return !e.completed.empty();
  });
}

void finish_all(Call& call, Op op, int result, const Watched& watched, int count) {
  finish(call, op, result, [&](Session& s, Event& e) {
    for (int i = 0; i < count; ++i) watched.complete(s, e, i, i);
  });
}

void finish_any(Call& call, Op op, int result, const Watched& watched, int index) {
  finish(call, op, result, [&](Session& s, Event& e) {
    if (index != MPI_UNDEFINED) watched.complete(s, e, index, 0);
  });
}

void finish_some(Call& call, Op op, int result, const Watched& watched, int done, const int indices[]) {
  finish(call, op, result, [&](Session& s, Event& e) {
    for (int i = 0; done != MPI_UNDEFINED && i < done; ++i) watched.complete(s, e, indices[i], i);
  });
}

}  // namespace

int wait(MPI_Request* request, MPI_Status* status) {
  if (!active()) return PMPI_Wait(request, status);
  Call call;
  Watched watched(1, request);
  const int result = PMPI_Wait(request, watched.statuses(status, MPI_STATUS_IGNORE, 1));
  finish_all(call, Op::wait, result, watched, 1);
  return result;
}

int waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  if (!active()) return PMPI_Waitall(count, requests, statuses);
  Call call;
  Watched watched(count, requests);
  const auto slots = static_cast<std::size_t>(count);
  const int result = PMPI_Waitall(count, requests, watched.statuses(statuses, MPI_STATUSES_IGNORE, slots));
  finish_all(call, Op::waitall, result, watched, count);
  return result;
}

int waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  if (!active()) return PMPI_Waitany(count, requests, index, status);
  Call call;
  Watched watched(count, requests);
  const int result = PMPI_Waitany(count, requests, index, watched.statuses(status, MPI_STATUS_IGNORE, 1));
  finish_any(call, Op::waitany, result, watched, *index);
  return result;
}

int waitsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  if (!active()) return PMPI_Waitsome(count, requests, done, indices, statuses);
  Call call;
  Watched watched(count, requests);
  const auto slots = static_cast<std::size_t>(count);
  const int result =
      PMPI_Waitsome(count, requests, done, indices, watched.statuses(statuses, MPI_STATUSES_IGNORE, slots));
  finish_some(call, Op::waitsome, result, watched, *done, indices);
  return result;
}

int test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (!active()) return PMPI_Test(request, flag, status);
  Call call;
  Watched watched(1, request);
  const int result = PMPI_Test(request, flag, watched.statuses(status, MPI_STATUS_IGNORE, 1));
  if (result == MPI_SUCCESS && !*flag) return poll(call, Op::test), result;
  finish_all(call, Op::test, result, watched, 1);
  return result;
}

int testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  if (!active()) return PMPI_Testall(count, requests, flag, statuses);
  Call call;
  Watched watched(count, requests);
  const auto slots = static_cast<std::size_t>(count);
  const int result =
      PMPI_Testall(count, requests, flag, watched.statuses(statuses, MPI_STATUSES_IGNORE, slots));
  if (result == MPI_SUCCESS && !*flag) return poll(call, Op::testall), result;
  finish_all(call, Op::testall, result, watched, count);
  return result;
}

int testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  if (!active()) return PMPI_Testany(count, requests, index, flag, status);
  Call call;
  Watched watched(count, requests);
  const int result =
      PMPI_Testany(count, requests, index, flag, watched.statuses(status, MPI_STATUS_IGNORE, 1));
  if (result == MPI_SUCCESS && !*flag) return poll(call, Op::testany), result;
  finish_any(call, Op::testany, result, watched, *index);
  return result;
}

int testsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  if (!active()) return PMPI_Testsome(count, requests, done, indices, statuses);
  Call call;
  Watched watched(count, requests);
  const auto slots = static_cast<std::size_t>(count);
  const int result =
      PMPI_Testsome(count, requests, done, indices, watched.statuses(statuses, MPI_STATUSES_IGNORE, slots));
  if (result == MPI_SUCCESS && *done == 0) return poll(call, Op::testsome), result;
  finish_some(call, Op::testsome, result, watched, *done, indices);
  return result;
}

int request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  if (!active()) return PMPI_Request_get_status(request, flag, status);
  Call call;
  const int result = PMPI_Request_get_status(request, flag, status);
  if (result == MPI_SUCCESS && !*flag) poll(call, Op::test);
  return result;
}

int request_free(MPI_Request* request) {
  if (!active()) return PMPI_Request_free(request);
  Call call;
  Watched watched(1, request);
  watched.look();
  const MPI_Request handle = *request;
  const int result = PMPI_Request_free(request);
  finish_all(call, Op::request_free, result, watched, 1);
  const std::lock_guard lock(Session::instance().mutex);
  Session::instance().requests.release(handle);
  return result;
}

int cancel(MPI_Request* request) {
  if (!active()) return PMPI_Cancel(request);
  Call call;
  const int result = PMPI_Cancel(request);
  conclude(call, Op::cancel, result, [&](Session& s, Event& e) {
    s.cancels = true;
    const Pending* pending = s.requests.find(*request);
    e.request = pending ? pending->id : trace::none;
    return pending != nullptr;
  });
  return result;
}

}  // namespace collcast::recorder::special
