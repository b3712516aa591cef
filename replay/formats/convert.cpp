// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/convert.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "replay/formats/protobuf.hpp"
#include "replay/source/merged.hpp"
#include "replay/trace/sense.hpp"
#include "replay/trace/writer.hpp"
#include "support/error.hpp"
#include "support/output_file.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;

class LossCount {
 public:
  void add(std::string_view operation, std::string_view reason) { counts_.add(operation, reason); }
  void add(const Losses& losses) { more_.insert(more_.end(), losses.begin(), losses.end()); }
  Losses losses(const Source& source) const {
    Losses all = source.info().losses;
    for (Loss& loss : counts_.all()) all.push_back(std::move(loss));
    all.insert(all.end(), more_.begin(), more_.end());
    return all;
  }
  /// What no format with sizes can hold.
  bool lacks(const Activity& a) {
    if (a.kind == Kind::pause) add("pause", "becomes computation, which is all that the format has");
    if (a.kind == Kind::skipped) add(a.call, a.note);
    if (a.kind != Kind::skipped && a.sized) return false;
    if (!a.sized && a.kind != Kind::skipped) add(a.operation, "of unknown size");
    return true;
  }

 private:
  LossSums counts_;
  Losses more_;
};

/// Times in whole units that add up to no more or less than the exact ones.
class Whole {
 public:
  explicit Whole(double unit) : unit_(unit) {}
  std::int64_t operator()(Seconds time) {
    exact_ += time;
    const std::int64_t all = std::llround(exact_.value / unit_);
    return all - std::exchange(written_, all);
  }

 private:
  double unit_;
  Seconds exact_;
  std::int64_t written_ = 0;
};

std::int64_t whole(Bytes b) {
  return std::llround(b.value);
}

Rank size_of(const Source& source, const Activity& a) {
  return static_cast<Rank>(source.communicators().at(static_cast<std::size_t>(a.communicator)).size());
}

std::vector<std::int64_t> wholes(const std::vector<Bytes>& sizes, Rank ranks) {
  std::vector<std::int64_t> all;
  for (Rank r = 0; r < ranks; ++r)
    all.push_back(whole(sizes.size() == 1 ? sizes[0] : sizes.at(static_cast<std::size_t>(r))));
  return all;
}

// ---- .cct

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

trace::Event event_of(const Source& source, const Activity& a, Rank rank) {
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
    const auto& members = source.communicators().at(static_cast<std::size_t>(a.communicator));
    const auto me = std::find(members.begin(), members.end(), rank) - members.begin();
    set_sizes(e, a, static_cast<Rank>(members.size()), static_cast<Rank>(me));
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

/// The tags of messages for formats without communicators: the same, unless two communicators use one tag.
class TagsOfAll {
 public:
  int operator()(int communicator, int tag) {
    const auto [known, is_new] = tags_.try_emplace({communicator, tag}, tag);
    for (; is_new && !used_.insert(known->second).second; --next_) known->second = next_;
    return known->second;
  }

 private:
  std::map<std::pair<int, int>, int> tags_;
  std::set<int> used_;
  int next_ = first_collective_tag - 1;
};

// ---- time-independent

std::string list(const std::vector<std::int64_t>& counts) {
  std::string text;
  for (const std::int64_t c : counts) text += " " + std::to_string(c);
  return text;
}

constexpr Collective with_actions[] = {Collective::barrier,   Collective::broadcast,     Collective::reduce,
                                       Collective::allreduce, Collective::scan,          Collective::exscan,
                                       Collective::alltoall,  Collective::allgather,     Collective::gather,
                                       Collective::scatter,   Collective::reduce_scatter};

/// The action's words after the rank, as the `me`th of `p`, of a collective that the format holds. Types are
/// bytes (6).
std::string collective_action(const Activity& a, Rank p, Rank me) {
  const bool shares = a.counts && !a.counts->shares.empty();
  const auto parts = shares ? wholes(a.counts->shares, p) : std::vector<std::int64_t>();
  const std::string n = std::to_string(whole(a.message)),
                    each = std::to_string(shares ? parts[static_cast<std::size_t>(me)]
                                                 : whole(a.message / static_cast<double>(p))),
                    root = " " + std::to_string(a.root);
  if (a.direct && a.counts && a.collective == Collective::alltoall) {
    const auto sent = wholes(a.counts->sent, p), received = wholes(a.counts->received, p);
    return "alltoallv " + n + list(sent) + " " + n + list(received) + " 6 6";
  }
  switch (a.collective) {
    case Collective::barrier:
      return "barrier";
    case Collective::broadcast:
      return "bcast " + n + root + " 6";
    case Collective::reduce:
      return "reduce " + n + " 0" + root + " 6";
    case Collective::allreduce:
      return "allreduce " + n + " 0 6";
    case Collective::scan:
      return "scan " + n + " 0 6";
    case Collective::exscan:
      return "exscan " + n + " 0 6";
    case Collective::alltoall:
      return "alltoall " + each + " " + each + " 6 6";
    case Collective::allgather:
      if (shares) return "allgatherv " + each + list(parts) + " 6 6";
      return "allgather " + each + " " + each + " 6 6";
    case Collective::gather:
      if (shares) return "gatherv " + each + list(parts) + root + " 6 6";
      return "gather " + each + " " + each + root + " 6 6";
    case Collective::scatter:
      if (shares) return "scatterv" + list(parts) + " " + each + root + " 6 6";
      return "scatter " + each + " " + each + root + " 6 6";
    default: {  // reduce-scatter
      std::vector<std::int64_t> counts = parts;
      for (Rank r = 0; !shares && r < p; ++r)
        counts.push_back(whole(a.message) / p + (r < whole(a.message) % p));
      return "reducescatter" + list(counts) + " 0 6";
    }
  }
}

class ActionWriter {
 public:
  ActionWriter(const Source& source, Rank rank, std::ostream& out, LossCount& losses, TagsOfAll& tags)
      : source_(source), rank_(rank), out_(out), losses_(losses), tags_(tags) {}

  void write(const Activity& a) {
    if (a.kind == Kind::compute || a.kind == Kind::pause) return compute(a.time);
    if (a.kind == Kind::wait) return wait(a);
    if (a.kind == Kind::collective) return collective(a);
    const auto& members = source_.communicators().at(static_cast<std::size_t>(a.communicator));
    /// What a wait for it names.
    const auto message = [&](bool sends, bool starts, Rank peer, int its_tag, Bytes size) {
      const int tag = tags_(a.communicator, its_tag);
      const Rank other = members.at(static_cast<std::size_t>(peer));
      line((starts ? "i" : "") + std::string(sends ? "send " : "recv ") + std::to_string(other) + " " +
           std::to_string(tag) + " " + std::to_string(whole(size)) + " 6");
      return std::to_string(sends ? rank_ : other) + " " + std::to_string(sends ? other : rank_) + " " +
             std::to_string(tag);
    };
    if (a.kind == Kind::exchange) {  // the format's sendRecv has no tags
      const std::string sent = message(true, true, a.to, a.tag, a.bytes),
                        received = message(false, true, a.from, a.received_tag, a.received_bytes);
      return line("wait " + sent), line("wait " + received);
    }
    const bool sends = a.kind == Kind::send;
    const std::string named = message(sends, a.request >= 0, sends ? a.to : a.from,
                                      sends ? a.tag : a.received_tag, sends ? a.bytes : a.received_bytes);
    if (a.request >= 0) open_[a.request] = named;
  }

 private:
  void line(const std::string& action) { out_ << rank_ << ' ' << action << '\n'; }
  void compute(Seconds time) {
    if (const std::int64_t ns = flops_(time); ns > 0) line("compute " + std::to_string(ns));
  }
  void wait(const Activity& a) {
    for (const std::int64_t r : a.requests)
      if (const auto found = open_.find(r); found != open_.end())
        line("wait " + found->second), open_.erase(found);
  }
  void collective(const Activity& a) {
    if (!time_independent_holds(source_, a)) return losses_.add(a.operation, "has no action in the format");
    if (a.request >= 0) losses_.add(a.operation, "holds its rank up, as the format has no other");
    line(collective_action(a, source_.ranks(), rank_));
  }

  const Source& source_;
  Rank rank_;
  std::ostream& out_;
  LossCount& losses_;
  TagsOfAll& tags_;
  Whole flops_{1e-9};
  std::map<std::int64_t, std::string> open_;
};

// ---- Chakra

const std::map<Collective, std::uint64_t> chakra_types = {
    {Collective::allreduce, 0}, {Collective::reduce, 1},         {Collective::allgather, 2},
    {Collective::gather, 3},    {Collective::scatter, 4},        {Collective::broadcast, 5},
    {Collective::alltoall, 6},  {Collective::reduce_scatter, 7}, {Collective::barrier, 9}};

class NodeWriter {
 public:
  NodeWriter(const Source& source, Rank rank, std::ostream& out, LossCount& losses, TagsOfAll& tags)
      : source_(source), rank_(rank), out_(out), losses_(losses), tags_(tags) {
    std::string metadata;
    protobuf::put_field(metadata, 1, std::string_view("0.0.4"));
    message(metadata);
  }

  void write(const Activity& a) {
    if (a.kind == Kind::wait) {
      for (const std::int64_t r : a.requests)
        if (const auto found = open_.find(r); found != open_.end())
          after_.insert(found->second), open_.erase(found);
      return;
    }
    if (a.kind == Kind::exchange) {
      const std::set<std::uint64_t> before = after_;
      Activity half = a;
      half.kind = Kind::send;
      const auto sent = node(half, before);
      half.kind = Kind::receive;
      after_ = {sent, node(half, before)};
      return;
    }
    const std::uint64_t id = node(a, after_);
    if (a.request >= 0)
      open_[a.request] = id;
    else
      after_ = {id};
  }

 private:
  static void attribute(std::string& node, std::string_view name, std::uint32_t kind, std::uint64_t value) {
    std::string a;
    protobuf::put_field(a, 1, name);
    protobuf::put_field(a, kind, value);
    protobuf::put_field(node, 10, a);
  }

  std::uint64_t node(const Activity& a, const std::set<std::uint64_t>& after) {
    constexpr std::uint32_t boolean = 27, int64 = 9, int32 = 7;
    std::string n, deps;
    const bool computes = a.kind == Kind::compute || a.kind == Kind::pause,
               collective = a.kind == Kind::collective, sends = a.kind == Kind::send;
    if (next_ > 0) protobuf::put_field(n, 1, next_);
    protobuf::put_field(n, 2, computes ? std::string_view("compute") : a.operation);
    protobuf::put_field(n, 3, computes ? 4u : collective ? 7u : sends ? 5u : 6u);
    for (const std::uint64_t d : after) protobuf::put_varint(deps, d);
    if (!deps.empty()) protobuf::put_field(n, 5, deps);
    const std::int64_t us = computes ? micros_(a.time) : std::llround(1e6 * a.duration.value);
    protobuf::put_field(n, 7, static_cast<std::uint64_t>(std::max<std::int64_t>(us, 0)));
    attribute(n, "is_cpu_op", boolean, 0);
    if (computes) {
      attribute(n, "duration_ns", int64, static_cast<std::uint64_t>(nanos_(a.time)));
      losses_.add("computation", "in whole us; duration_ns, an attribute of ours, has the rest");
    }
    if (collective) {
      const bool shared = a.collective == Collective::allgather || a.collective == Collective::gather ||
                          a.collective == Collective::scatter;
      attribute(n, "comm_type", int64, chakra_types.at(a.collective));
      attribute(n, "comm_size", int64,
                static_cast<std::uint64_t>(
                    whole(shared ? a.message / static_cast<double>(size_of(source_, a)) : a.message)));
      std::string pg;
      protobuf::put_field(pg, 1, std::string_view("pg_name"));
      protobuf::put_field(pg, 29, std::to_string(a.communicator));
      protobuf::put_field(n, 10, pg);
      if (definition(a.collective).rooted) {
        attribute(n, "comm_root", int32, static_cast<std::uint64_t>(a.root));
        const auto& members = source_.communicators().at(static_cast<std::size_t>(a.communicator));
        if (members.at(static_cast<std::size_t>(a.root)) == rank_)
          losses_.add(a.operation,
                      "has its root in comm_root, an attribute of ours that other tools pass over");
      }
    } else if (!computes) {
      const auto& members = source_.communicators().at(static_cast<std::size_t>(a.communicator));
      attribute(n, sends ? "comm_dst" : "comm_src", int32,
                static_cast<std::uint64_t>(members.at(static_cast<std::size_t>(sends ? a.to : a.from))));
      attribute(
          n, "comm_tag", int32,
          static_cast<std::uint64_t>(tags_(a.communicator, sends ? a.tag : a.received_tag)) & 0x7fffffff);
      attribute(n, "comm_size", int64, static_cast<std::uint64_t>(whole(sends ? a.bytes : a.received_bytes)));
    }
    message(n);
    return next_++;
  }

  void message(const std::string& text) {
    std::string length;
    protobuf::put_varint(length, text.size());
    out_ << length << text;
  }

  const Source& source_;
  Rank rank_;
  std::ostream& out_;
  LossCount& losses_;
  TagsOfAll& tags_;
  Whole micros_{1e-6}, nanos_{1e-9};
  std::uint64_t next_ = 0;
  std::set<std::uint64_t> after_;
  std::map<std::int64_t, std::uint64_t> open_;
};

/// Each activity of a rank that the formats can hold; waits name none of the others.
template <class Visit>
void for_each_activity(const Source& source, Rank rank, LossCount& losses, Visit visit) {
  const auto stream = source.stream(rank, 0);
  std::set<std::int64_t> lost;
  for (Activity a; stream->next(a);) {
    if (losses.lacks(a)) {
      if (a.request >= 0) lost.insert(a.request);
      continue;
    }
    const auto names_lost = [&](std::int64_t request) { return lost.erase(request) > 0; };
    if (std::erase_if(a.requests, names_lost) == 0 || !a.requests.empty()) visit(a);
  }
}

}  // namespace

void add_lost_facts(Losses& losses, const Source& source, Memory taken) {
  const bool device = taken == Memory::device;
  if (source.info().memory != taken)
    losses.push_back({"memory", source.ranks(),
                      device ? "is the host's; the format is read as of GPUs (replay --memory host)"
                             : "is the GPUs'; the format is read as of the host (replay --memory device)"});
  if (source.info().truncated)
    losses.push_back({"end", source.ranks(),
                      "of ranks may come before others are done; the format is read as if all were there"});
  if (source.info().by_mpi == device)
    losses.push_back(
        {"library", source.ranks(),
         device ? "is MPI; the format is read as NCCL's" : "is NCCL; the format is read as MPI's"});
}

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
    trace::Sense sense(source.communicators(), r);
    const auto put = [&](const trace::Event& e) {
      if (const std::string what = sense.complaint(e); !what.empty())
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
      trace::Event e = computes ? nothing(a.request) : event_of(source, a, r);
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

bool time_independent_holds(const Source& source, const Activity& a) {
  const auto& members = source.communicators().at(static_cast<std::size_t>(a.communicator));
  return std::ranges::find(with_actions, a.collective) != std::end(with_actions) &&
         members.size() == static_cast<std::size_t>(source.ranks()) && std::ranges::is_sorted(members) &&
         (!a.direct || (a.counts && a.collective == Collective::alltoall));
}

Losses write_time_independent(const Source& source, const std::string& path) {
  const OneStream merged(source);
  LossCount losses;
  TagsOfAll tags;
  OutputStream file(path);
  for (Rank r = 0; r < source.ranks(); ++r) {
    ActionWriter writer(source, r, file, losses, tags);
    file << r << " init\n";
    for_each_activity(merged, r, losses, [&](const Activity& a) { writer.write(a); });
    file << r << " finalize\n";
  }
  file.commit();
  losses.add(merged.losses());
  Losses all = losses.losses(source);
  add_lost_facts(all, source, Memory::host);
  return all;
}

bool chakra_holds(const Source& source, const Activity& a) {
  return chakra_types.contains(a.collective) && !a.direct && !a.counts &&
         std::ranges::is_sorted(source.communicators().at(static_cast<std::size_t>(a.communicator)));
}

std::string chakra_file(const std::string& prefix, Rank rank) {
  return prefix + "." + std::to_string(rank) + ".et";
}

Losses write_chakra(const Source& source, const std::string& prefix) {
  const OneStream merged(source);
  LossCount losses;
  TagsOfAll tags;
  for (Rank r = 0; r < source.ranks(); ++r) {
    OutputStream file(chakra_file(prefix, r));
    NodeWriter writer(source, r, file, losses, tags);
    for_each_activity(merged, r, losses, [&](const Activity& a) {
      if (a.kind == Kind::collective && !chakra_holds(source, a))
        return losses.add(a.operation, "has no type in the format");
      writer.write(a);
    });
    file.commit();
  }
  losses.add(merged.losses());
  Losses all = losses.losses(source);
  add_lost_facts(all, source, Memory::device);
  return all;
}

}  // namespace collcast
