// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/cct.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>

#include "replay/trace/check.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

using trace::Event;
using trace::OpClass;
using TraceOp = trace::Op;

Bytes bytes(std::int64_t n) {
  return Bytes(static_cast<double>(n));
}

Bytes sum(const std::vector<std::int64_t>& counts) {
  return bytes(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
}

std::vector<Bytes> sizes(const std::vector<std::int64_t>& counts) {
  std::vector<Bytes> all;
  for (std::int64_t n : counts) all.push_back(bytes(n));
  return all;
}

void by_shares(Activity& a, Collective collective, const std::vector<std::int64_t>& counts) {
  a.collective = collective;
  a.message = sum(counts);
  a.counts = std::make_shared<Counts>(Counts{sizes(counts), {}, {}});
}

void by_own_sizes(Activity& a, Collective collective, const Event& e, Bytes message) {
  a.collective = collective;
  a.message = message;
  a.direct = true;
  auto own = [](const std::vector<std::int64_t>& counts, std::int64_t otherwise) {
    return counts.empty() ? std::vector<Bytes>{bytes(otherwise)} : sizes(counts);
  };
  a.counts = std::make_shared<Counts>(
      Counts{{}, own(e.send_counts, e.send_bytes), own(e.recv_counts, e.recv_bytes)});
}

/// A recorded MPI collective in the catalogue's terms, on `p` ranks.
void set_collective(Activity& a, const Event& e, Rank p) {
  const Bytes sent = bytes(e.send_bytes), received = bytes(e.recv_bytes);
  auto plain = [&](Collective collective, Bytes message) { a.collective = collective, a.message = message; };
  switch (e.op) {
    case TraceOp::barrier:
      return plain(Collective::barrier, {});
    case TraceOp::bcast:
      return plain(Collective::broadcast, sent);
    case TraceOp::reduce:
      return plain(Collective::reduce, sent);
    case TraceOp::allreduce:
      return plain(Collective::allreduce, sent);
    case TraceOp::scan:
      return plain(Collective::scan, sent);
    case TraceOp::exscan:
      return plain(Collective::exscan, sent);
    case TraceOp::reduce_scatter_block:
      return plain(Collective::reduce_scatter, sent);
    case TraceOp::reduce_scatter:
      return by_shares(a, Collective::reduce_scatter, e.recv_counts);
    case TraceOp::gather:
      return plain(Collective::gather, p * sent);
    case TraceOp::scatter:
      return plain(Collective::scatter, p * received);
    case TraceOp::allgather:
      return plain(Collective::allgather, p * sent);
    case TraceOp::allgatherv:
      return by_shares(a, Collective::allgather, e.recv_counts);
    case TraceOp::alltoall:
      return plain(Collective::alltoall, p * sent);
    case TraceOp::gatherv:
      return by_own_sizes(a, Collective::gather, e, e.recv_counts.empty() ? p * sent : sum(e.recv_counts));
    case TraceOp::scatterv:
      return by_own_sizes(a, Collective::scatter, e,
                          e.send_counts.empty() ? p * received : sum(e.send_counts));
    case TraceOp::alltoallv:
    case TraceOp::alltoallw:
      return by_own_sizes(a, Collective::alltoall, e, sum(e.send_counts));
    default:
      return plain(Collective::allreduce, Bytes(8));
  }
}

/// The names of an operation, "MPI_Allreduce" and "MPI_Iallreduce", made once.
struct Names {
  std::array<std::string, trace::op_count> blocking, nonblocking;
  Names() {
    for (int i = 0; i < trace::op_count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      blocking[at] = mpi_name(static_cast<TraceOp>(i));
      nonblocking[at] = mpi_name(static_cast<TraceOp>(i), true);
    }
  }
  static std::string_view of(const Event& e) {
    static const Names names;
    return (e.nonblocking() ? names.nonblocking : names.blocking)[static_cast<std::size_t>(e.op)];
  }
};

/// Finds which calls of a rank's other threads come before a call of one thread: those that had ended when it
/// began.
class Precedence {
 public:
  Precedence(const trace::Reader& reader, Rank rank, int thread)
      : ended_(static_cast<std::size_t>(reader.metadata().threads)),
        awaited_(ended_.size()),
        cursor_(reader.rank(rank)),
        thread_(thread) {}

  /// The first `count` calls of other threads come before the thread's next one.
  void read_to(std::int64_t count) {
    for (; others_ < count && cursor_.next(event_);) {
      ++ended_[static_cast<std::size_t>(event_.thread)];
      others_ += event_.thread != thread_;
    }
  }

  /// Makes `a` an await of another thread; false if nothing is left to await.
  bool await(Activity& a) {
    for (std::size_t t = 0; t < ended_.size(); ++t) {
      if (static_cast<int>(t) == thread_ || awaited_[t] == ended_[t]) continue;
      a.kind = Activity::Kind::await;
      a.stream = static_cast<int>(t);
      a.count = awaited_[t] = ended_[t];
      return true;
    }
    return false;
  }

 private:
  std::vector<std::int64_t> ended_, awaited_;
  trace::Cursor cursor_;  ///< lags behind the cursor of the thread's calls
  Event event_;
  int thread_;
  std::int64_t others_ = 0;
};

/// A rank's calls, or those of one of its threads. With several threads, each call ends with a record, and
/// awaits the records of other threads.
class CctActivities : public Activities {
 public:
  CctActivities(const trace::Reader& reader, Rank rank, int thread)
      : reader_(reader), cursor_(reader.rank(rank)), thread_(thread) {
    if (reader.metadata().threads > 1) precedence_.emplace(reader, rank, thread);
  }

  bool next(Activity& a) override {
    for (bool made = false; !made;) {
      a = Activity{};
      if (part_ == Part::compute && !read()) return false;
      made = fill(a);
    }
    return true;
  }

 private:
  /// What a call consists of, in order.
  enum class Part { compute, order, call, record };

  /// The thread's next call; false at its end.
  bool read() {
    while (cursor_.next(event_)) {
      if (event_.thread == thread_) return true;
      ++others_;
      if (never_matches()) never_matched_.insert(event_.request);
    }
    return false;
  }

  /// The next part of the call; false if there is nothing in it.
  bool fill(Activity& a) {
    switch (part_) {
      case Part::compute:
        part_ = Part::order;
        a.time = a.duration = event_.compute + event_.polling;
        return a.time.value > 0;
      case Part::order:
        if (precedence_) precedence_->read_to(others_ - event_.overlapped);
        if (precedence_ && precedence_->await(a)) return true;
        part_ = Part::call;
        return false;
      case Part::call:
        part_ = precedence_ ? Part::record : Part::compute;
        a.operation = short_name(event_.op);
        a.call = Names::of(event_);
        a.duration = event_.duration;
        return call(a);
      case Part::record:
        part_ = Part::compute;
        a.kind = Activity::Kind::record;
        return true;
    }
    return false;
  }

  /// False if the call moves nothing and waits for nothing.
  bool call(Activity& a) {
    a.communicator = event_.comm;
    a.request = event_.nonblocking() ? event_.request : -1;
    switch (class_of(event_.op)) {
      case OpClass::send:
        return send(a) || done(a);
      case OpClass::receive:
        return receive(a) || done(a);
      case OpClass::exchange:
        return exchange(a);
      case OpClass::completion:
        return event_.op != TraceOp::request_free && wait(a);  // a freed request's operation goes on
      case OpClass::collective:
      case OpClass::communicator:
        return collective(a);
      default:
        return false;  // a probe waits for what the next receive waits for
    }
  }

  bool send(Activity& a) const {
    if (event_.dest == trace::proc_null) return false;
    a.kind = Activity::Kind::send;
    a.to = event_.dest;
    a.tag = event_.send_tag;
    a.bytes = bytes(event_.send_bytes);
    a.synchronous = event_.op == TraceOp::ssend;
    return true;
  }

  bool never_matches() const {
    return event_.source == trace::any || (event_.source >= 0 && event_.recv_tag < 0);
  }

  bool receive(Activity& a) {
    if (event_.source == trace::proc_null) return false;
    if (never_matches()) {
      never_matched_.insert(event_.request);
      return skip(a, "a receive from anyone that never completed");
    }
    a.kind = Activity::Kind::receive;
    a.from = event_.source;
    a.received_tag = event_.recv_tag;
    a.received_bytes = bytes(event_.recv_bytes);
    return true;
  }

  bool exchange(Activity& a) {
    const bool sends = send(a), receives = receive(a);
    if (sends && a.kind == Activity::Kind::receive) a.kind = Activity::Kind::exchange;
    return sends || receives;
  }

  /// A request that is done as soon as it is made.
  bool done(Activity& a) const {
    a.kind = Activity::Kind::compute;
    return a.request >= 0;
  }

  bool wait(Activity& a) const {
    a.kind = Activity::Kind::wait;
    for (const trace::Completion& completed : event_.completed)
      if (!never_matched_.contains(completed.request)) a.requests.push_back(completed.request);
    return !a.requests.empty();
  }

  bool collective(Activity& a) const {
    // These calls make a communicator with only its members taking part.
    const bool by_members = event_.op == TraceOp::comm_create_group || event_.op == TraceOp::intercomm_merge;
    if (event_.op == TraceOp::comm_free) return false;
    a.communicator = by_members ? event_.new_comm : event_.comm;
    if (a.communicator == trace::none) return skip(a, "its communicator is not in the trace");
    a.kind = Activity::Kind::collective;
    a.root = std::max(event_.root, 0);
    const auto& members = reader_.communicators()[static_cast<std::size_t>(a.communicator)];
    set_collective(a, event_, static_cast<Rank>(members.size()));
    return true;
  }

  static bool skip(Activity& a, std::string_view reason) {
    a.kind = Activity::Kind::skipped;
    a.note = reason;
    return true;
  }

  const trace::Reader& reader_;
  trace::Cursor cursor_;
  Event event_;
  int thread_;
  Part part_ = Part::compute;
  std::int64_t others_ = 0;               ///< calls of other threads, up to event_
  std::optional<Precedence> precedence_;  ///< if the rank has several threads
  std::set<trace::RequestId> never_matched_;
};

/// Contradictions in a trace that can be played in spite of them: the first few lines. Throws InputError if
/// it cannot be played.
std::vector<std::string> contradictions(const trace::Reader& reader) {
  trace::Contradictions found = trace::check(reader);
  const auto more = [](std::size_t n) { return n > 0 ? " (and " + std::to_string(n) + " more)" : ""; };
  if (!found.errors.empty())
    throw InputError(reader.path() + ": " + found.errors.front() + more(found.errors.size() - 1));
  constexpr std::size_t most = 10;
  const std::size_t all = found.notes.size();
  if (all > most) found.notes.resize(most), found.notes.back() += more(all - most);
  return std::move(found.notes);
}

class CctSource : public Source {
 public:
  explicit CctSource(const trace::Reader& reader) : reader_(reader) {
    info_.name = reader.path();
    info_.format = "cct";
    info_.command = reader.metadata().command;
    info_.recorded = reader.metadata().recorded_time;
    info_.truncated = reader.truncated();
    info_.memory = reader.metadata().memory;
    info_.by_mpi = reader.metadata().by_mpi;
    info_.losses = reader.metadata().losses;
    info_.notes = reader.notes();
    info_.notes.insert(info_.notes.end(), reader.metadata().inferred.begin(),
                       reader.metadata().inferred.end());
    if (reader.metadata().threads > 1)
      info_.notes.push_back("a rank has calls of " + std::to_string(reader.metadata().threads) +
                            " threads, which go side by side where they did when recorded; what the threads "
                            "compute takes turns on its one processor");
    for (std::string& note : contradictions(reader)) info_.notes.push_back(std::move(note));
  }
  explicit CctSource(std::unique_ptr<trace::Reader> reader) : CctSource(*reader) { own_ = std::move(reader); }

  const SourceInfo& info() const override { return info_; }
  Rank ranks() const override { return reader_.ranks(); }
  const std::vector<std::vector<Rank>>& communicators() const override { return reader_.communicators(); }
  int streams(Rank) const override { return reader_.metadata().threads; }
  std::unique_ptr<Activities> stream(Rank rank, int stream) const override {
    return std::make_unique<CctActivities>(reader_, rank, stream);
  }

 private:
  std::unique_ptr<trace::Reader> own_;
  const trace::Reader& reader_;
  SourceInfo info_;
};

}  // namespace

std::unique_ptr<Source> cct_source(const trace::Reader& reader) {
  return std::make_unique<CctSource>(reader);
}

std::unique_ptr<Source> open_cct(const std::string& path) {
  return std::make_unique<CctSource>(std::make_unique<trace::Reader>(path));
}

}  // namespace collcast
