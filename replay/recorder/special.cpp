// SPDX-License-Identifier: Apache-2.0
#include "replay/recorder/special.hpp"

#include "replay/recorder/entry.hpp"
#include "replay/recorder/fill.hpp"

namespace collcast::recorder::special {
namespace {

using trace::Event;
using trace::Op;

/// Replaces wildcards by the source and tag of the message.
void resolve(Event& event, const MPI_Status& status) {
  if (event.source == trace::any) event.source = fill::peer(status.MPI_SOURCE);
  if (event.recv_tag == trace::any) event.recv_tag = status.MPI_TAG;
}

/// The application's status, or ours if it wants none.
class StatusOr {
 public:
  explicit StatusOr(MPI_Status* theirs) : use_(theirs == MPI_STATUS_IGNORE ? &own_ : theirs) {}
  MPI_Status* get() { return use_; }

 private:
  MPI_Status own_{};
  MPI_Status* use_;
};

std::int64_t message_bytes(const MPI_Status& status) {
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  return bytes == MPI_UNDEFINED ? 0 : bytes;
}

bool fill_probe(Session& session, Event& event, int source, int tag, MPI_Comm comm,
                const MPI_Status& status) {
  event.source = fill::peer(source);
  event.recv_tag = fill::tag(tag);
  resolve(event, status);
  event.recv_bytes = message_bytes(status);
  return session.set_communicator(event, comm);
}

/// Fills the event of a probe that takes its message out of the queue, and remembers the message for its
/// receive.
bool fill_matched(Session& session, Event& event, int source, int tag, MPI_Comm comm,
                  const MPI_Status& status, MPI_Message message) {
  if (!fill_probe(session, event, source, tag, comm, status)) return false;
  session.messages[message] = event;
  return true;
}

/// Fills the event of the receive of a matched message.
bool fill_matched_recv(Session& session, Event& event, int count, MPI_Datatype type, MPI_Message message) {
  const auto found = session.messages.find(message);
  if (found == session.messages.end()) return false;
  event.comm = found->second.comm;
  event.source = found->second.source;
  event.recv_tag = found->second.recv_tag;
  event.datatype_bytes = size_of(type);
  event.recv_bytes = static_cast<std::int64_t>(count) * event.datatype_bytes;
  session.messages.erase(found);
  return true;
}

bool start_one(Session& session, Event& event, MPI_Request request) {
  const Event* start = session.requests.start_of(request);
  if (!start) return session.lose("MPI_Start", "of a request that is not recorded"), false;
  event = *start;
  event.persistent = true;
  session.begin(event, request, true);
  return true;
}

}  // namespace

int init(int* argc, char*** argv) {
  const int status = PMPI_Init(argc, argv);
  if (status == MPI_SUCCESS) Session::instance().start();
  return status;
}

int init_thread(int* argc, char*** argv, int required, int* provided) {
  const int status = PMPI_Init_thread(argc, argv, required, provided);
  if (status == MPI_SUCCESS) Session::instance().start();
  return status;
}

int finalize() {
  if (Session::instance().recording()) Session::instance().finish();
  return PMPI_Finalize();
}

int abort(MPI_Comm comm, int code) {
  Session::instance().abandon();
  return PMPI_Abort(comm, code);
}

int recv(void* to, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  if (!active()) return PMPI_Recv(to, count, type, source, tag, comm, status);
  Call call;
  StatusOr got(status);
  const int result = PMPI_Recv(to, count, type, source, tag, comm, got.get());
  conclude(call, Op::recv, result, [&](Session& s, Event& e) {
    const bool playable = fill::recv(s, e, to, count, type, source, tag, comm);
    resolve(e, *got.get());
    return playable;
  });
  return result;
}

int sendrecv(const void* from, int scount, MPI_Datatype stype, int dest, int stag, void* to, int rcount,
             MPI_Datatype rtype, int source, int rtag, MPI_Comm comm, MPI_Status* status) {
  if (!active())
    return PMPI_Sendrecv(from, scount, stype, dest, stag, to, rcount, rtype, source, rtag, comm, status);
  Call call;
  StatusOr got(status);
  const int result =
      PMPI_Sendrecv(from, scount, stype, dest, stag, to, rcount, rtype, source, rtag, comm, got.get());
  conclude(call, Op::sendrecv, result, [&](Session& s, Event& e) {
    const bool playable =
        fill::sendrecv(s, e, from, scount, stype, dest, stag, to, rcount, rtype, source, rtag, comm);
    resolve(e, *got.get());
    return playable;
  });
  return result;
}

int sendrecv_replace(void* data, int count, MPI_Datatype type, int dest, int stag, int source, int rtag,
                     MPI_Comm comm, MPI_Status* status) {
  if (!active()) return PMPI_Sendrecv_replace(data, count, type, dest, stag, source, rtag, comm, status);
  Call call;
  StatusOr got(status);
  const int result = PMPI_Sendrecv_replace(data, count, type, dest, stag, source, rtag, comm, got.get());
  conclude(call, Op::sendrecv_replace, result, [&](Session& s, Event& e) {
    const bool playable = fill::sendrecv_replace(s, e, data, count, type, dest, stag, source, rtag, comm);
    resolve(e, *got.get());
    return playable;
  });
  return result;
}

int probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  if (!active()) return PMPI_Probe(source, tag, comm, status);
  Call call;
  StatusOr got(status);
  const int result = PMPI_Probe(source, tag, comm, got.get());
  conclude(call, Op::probe, result,
           [&](Session& s, Event& e) { return fill_probe(s, e, source, tag, comm, *got.get()); });
  return result;
}

int iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  if (!active()) return PMPI_Iprobe(source, tag, comm, flag, status);
  Call call;
  StatusOr got(status);
  const int result = PMPI_Iprobe(source, tag, comm, flag, got.get());
  if (result == MPI_SUCCESS && !*flag) return poll(call, Op::iprobe), result;
  conclude(call, Op::iprobe, result,
           [&](Session& s, Event& e) { return fill_probe(s, e, source, tag, comm, *got.get()); });
  return result;
}

int mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  if (!active()) return PMPI_Mprobe(source, tag, comm, message, status);
  Call call;
  StatusOr got(status);
  const int result = PMPI_Mprobe(source, tag, comm, message, got.get());
  conclude(call, Op::probe, result,
           [&](Session& s, Event& e) { return fill_matched(s, e, source, tag, comm, *got.get(), *message); });
  return result;
}

int improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  if (!active()) return PMPI_Improbe(source, tag, comm, flag, message, status);
  Call call;
  StatusOr got(status);
  const int result = PMPI_Improbe(source, tag, comm, flag, message, got.get());
  if (result == MPI_SUCCESS && !*flag) return poll(call, Op::iprobe), result;
  conclude(call, Op::iprobe, result,
           [&](Session& s, Event& e) { return fill_matched(s, e, source, tag, comm, *got.get(), *message); });
  return result;
}

int mrecv(void* to, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  if (!active()) return PMPI_Mrecv(to, count, type, message, status);
  Call call;
  const MPI_Message before = *message;
  const int result = PMPI_Mrecv(to, count, type, message, status);
  conclude(call, Op::recv, result,
           [&](Session& s, Event& e) { return fill_matched_recv(s, e, count, type, before); });
  return result;
}

int imrecv(void* to, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  if (!active()) return PMPI_Imrecv(to, count, type, message, request);
  Call call;
  const MPI_Message before = *message;
  const int result = PMPI_Imrecv(to, count, type, message, request);
  conclude(
      call, Op::recv, result,
      [&](Session& s, Event& e) {
        if (!fill_matched_recv(s, e, count, type, before)) return false;
        s.begin(e, *request, false);
        return true;
      },
      true);
  return result;
}

int start(MPI_Request* request) {
  if (!active()) return PMPI_Start(request);
  Call call;
  const int result = PMPI_Start(request);
  conclude(call, Op::send, result, [&](Session& s, Event& e) { return start_one(s, e, *request); });
  return result;
}

int startall(int count, MPI_Request requests[]) {
  if (!active()) return PMPI_Startall(count, requests);
  Call call;
  const int result = PMPI_Startall(count, requests);
  for (int i = 0; i < count; ++i)
    conclude(call, Op::send, result, [&](Session& s, Event& e) { return start_one(s, e, requests[i]); });
  return result;
}

int comm_idup(MPI_Comm parent, MPI_Comm* made, MPI_Request* request) {
  if (!active()) return PMPI_Comm_idup(parent, made, request);
  Call call;
  const int result = PMPI_Comm_idup(parent, made, request);
  conclude(
      call, Op::comm_dup, result,
      [&](Session& s, Event& e) {
        if (!s.set_communicator(e, parent)) return false;
        s.number_new_communicator_like(e, *made, parent);
        s.begin(e, *request, false);
        return true;
      },
      true);
  return result;
}

namespace {

/// Frees a communicator through `real`. Its number is looked up before, while the handle is valid.
int free_by(int (*real)(MPI_Comm*), MPI_Comm* comm) {
  if (!active()) return real(comm);
  Call call;
  Session& session = Session::instance();
  const MPI_Comm handle = *comm;
  Event freed;
  freed.op = Op::comm_free;
  bool playable;
  {
    const std::lock_guard lock(session.mutex);
    playable = session.set_communicator(freed, handle);
    session.comms.remove(handle);
  }
  const int result = real(comm);
  conclude(call, Op::comm_free, result, [&](Session&, Event& e) { return e.comm = freed.comm, playable; });
  return result;
}

}  // namespace

int comm_free(MPI_Comm* comm) {
  return free_by(&PMPI_Comm_free, comm);
}

int comm_disconnect(MPI_Comm* comm) {
  return free_by(&PMPI_Comm_disconnect, comm);
}

int intercomm_merge(MPI_Comm between, int high, MPI_Comm* made) {
  if (!active()) return PMPI_Intercomm_merge(between, high, made);
  Call call;
  const int result = PMPI_Intercomm_merge(between, high, made);
  conclude(call, Op::intercomm_merge, result, [&](Session& s, Event& e) {
    s.number_new_communicator(e, *made);
    if (e.new_comm == trace::none) s.lose("MPI_Intercomm_merge", beyond_world);
    return e.new_comm != trace::none;
  });
  return result;
}

}  // namespace collcast::recorder::special
