// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "replay/formats/conversion.hpp"
#include "replay/source/merged.hpp"
#include "replay/trace/event_checker.hpp"
#include "replay/trace/writer.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;

trace::Op op_of(Collective c, bool shares, bool direct) {
  using trace::Op;
  switch (c) {
    case Collective::allreduce:
      return Op::allreduce;
    case Collective::reduce_scatter:
      return shares ? Op::reduce_scatter : Op::reduce_scatter_block;
    case Collective::allgather:
      return shares ? Op::allgatherv : Op::allgather;
    case Collective::broadcast:
      return Op::bcast;
    case Collective::reduce:
      return Op::reduce;
    case Collective::gather:
      return direct || shares ? Op::gatherv : Op::gather;
    case Collective::scatter:
      return direct || shares ? Op::scatterv : Op::scatter;
    case Collective::alltoall:
      return direct ? Op::alltoallv : Op::alltoall;
    case Collective::scan:
      return Op::scan;
    case Collective::exscan:
      return Op::exscan;
    default:
      return Op::barrier;
  }
}

void set_sizes(trace::Event& e, const Activity& a, Rank ranks, Rank me) {
  const bool shared = a.counts && !a.counts->shares.empty();
  if (a.direct && a.counts) {
    if (e.op == trace::Op::alltoallv || (e.op == trace::Op::scatterv && me == a.root))
      e.send_counts = wholes(a.counts->sent, ranks);
    if (e.op == trace::Op::alltoallv || (e.op == trace::Op::gatherv && me == a.root))
      e.recv_counts = wholes(a.counts->received, ranks);
    if (e.op == trace::Op::gatherv && !a.counts->sent.empty()) e.send_bytes = whole(a.counts->sent[0]);
    if (e.op == trace::Op::scatterv && !a.counts->received.empty())
      e.recv_bytes = whole(a.counts->received[0]);
    return;
  }
  if (shared) {
    const auto shares = wholes(a.counts->shares, ranks);
    const bool rooted = e.op == trace::Op::gatherv || e.op == trace::Op::scatterv;
    if (!rooted || me == a.root) (e.op == trace::Op::scatterv ? e.send_counts : e.recv_counts) = shares;
    const auto mine = shares[static_cast<std::size_t>(me)];
    if (e.op == trace::Op::reduce_scatter)
      e.send_bytes = std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
    else
      (e.op == trace::Op::scatterv ? e.recv_bytes : e.send_bytes) = mine;
    return;
  }
  using trace::Op;
  const bool divided =
      e.op == Op::allgather || e.op == Op::gather || e.op == Op::scatter || e.op == Op::alltoall;
  const std::int64_t part = whole(a.message / static_cast<double>(ranks));
  e.send_bytes = e.recv_bytes = divided ? part : whole(a.message);
  if (e.op == Op::reduce_scatter_block) e.recv_bytes = part;
  if (me != a.root && (e.op == Op::reduce || e.op == Op::gather)) e.recv_bytes = 0;
  if (me != a.root && e.op == Op::scatter) e.send_bytes = 0;
}

trace::Event event_of(const Source& source, const Activity& a, trace::EventChecker& checker) {
  trace::Event e;
  e.duration = std::max(a.duration, Seconds(0));
  e.request = a.request;
  if (a.kind == Kind::wait) {
    e.op = a.requests.size() == 1 ? trace::Op::wait : trace::Op::waitall;
    for (const std::int64_t r : a.requests) e.completed.push_back({r});
    return e;
  }
  e.comm = a.communicator;
  if (a.kind == Kind::collective) {
    const bool shares = a.counts && !a.counts->shares.empty();
    e.op = op_of(a.collective, shares, a.direct);
    e.root = definition(a.collective).rooted ? a.root : trace::none;
    set_sizes(e, a, static_cast<Rank>(members_of(source, a).size()), checker.place(a.communicator));
    return e;
  }
  if (a.kind != Kind::receive) e.dest = a.to, e.send_tag = a.tag, e.send_bytes = whole(a.bytes);
  if (a.kind != Kind::send)
    e.source = a.from, e.recv_tag = a.received_tag, e.recv_bytes = whole(a.received_bytes);
  e.op = a.kind == Kind::exchange  ? trace::Op::sendrecv
         : a.kind == Kind::receive ? trace::Op::recv
         : a.synchronous           ? trace::Op::ssend
                                   : trace::Op::send;
  return e;
}

/// A request that is done as soon as it is made.
trace::Event nothing(std::int64_t request) {
  trace::Event e;
  e.op = trace::Op::recv;
  e.comm = trace::world;
  e.source = trace::proc_null;
  e.request = request;
  return e;
}

}  // namespace

Losses write_cct(const Source& source, const std::string& path) {
  const OneStream merged(source);
  LossCount losses;
  trace::Metadata metadata;
  metadata.ranks = source.ranks();
  metadata.command = source.info().name;
  metadata.recorded_time = source.info().recorded;
  metadata.memory = source.info().memory;
  metadata.by_mpi = source.info().by_mpi;
  metadata.losses = source.info().losses;
  (source.info().truncated ? metadata.notes : metadata.inferred) = source.info().notes;
  if (source.info().truncated && metadata.notes.empty()) metadata.notes = {"ranks end before others do"};
  trace::Writer writer(path, metadata, source.communicators());
  for (Rank r = 0; r < source.ranks(); ++r) {
    trace::EventChecker checker(source.communicators(), r);
    const auto put = [&](const trace::Event& e) {
      if (const std::string what = checker.complaint(e); !what.empty())
        throw InputError(source.info().name + ": cannot be written as .cct: " + what);
      writer.put(r, e);
    };
    Seconds computed;
    std::set<std::int64_t> open;
    for_each_activity(merged, r, losses, [&](const Activity& a) {
      const bool computes = a.kind == Kind::compute || a.kind == Kind::pause;
      if (computes) computed += a.time;
      if (a.request >= 0) open.insert(a.request);
      for (const std::int64_t request : a.requests) open.erase(request);
      if (computes && a.request < 0) return;
      trace::Event e = computes ? nothing(a.request) : event_of(source, a, checker);
      e.compute = std::exchange(computed, Seconds(0));
      put(e);
    });
    trace::Event last;
    last.compute = computed;
    if (!open.empty() && !source.info().truncated) {
      last.op = trace::Op::request_free;
      for (const std::int64_t request : open) last.completed.push_back({request});
      put(std::exchange(last, {}));
    }
    last.op = trace::Op::finalize;
    put(last);
  }
  writer.close();
  losses.add(merged.losses());
  return losses.losses(source);
}

}  // namespace collcast
