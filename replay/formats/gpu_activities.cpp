// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>
#include <utility>

#include "replay/formats/all_to_all.hpp"
#include "replay/formats/gpu_parts.hpp"
#include "replay/formats/members.hpp"
#include "replay/formats/message_group.hpp"
#include "replay/formats/names.hpp"
#include "support/notes.hpp"

namespace collcast::gpu {
namespace {

/// Lowers one rank's kernels to the activities of its streams.
class GpuRank {
 public:
  GpuRank(RecordedSource& source, const RankTrace& trace, const Callers& callers, Span window)
      : source_(source), trace_(trace), callers_(callers), window_(window), streams_(streams_of(trace)) {}

  std::vector<Retimed> build() {
    for (std::size_t s = 0; s < streams_.size(); ++s) stream(s);
    if (streams_.empty()) return {};
    double last = 0;
    for (std::size_t s = 0; s < streams_.size(); ++s) {
      last = std::max(last, streams_[s].kernels.back()->end);
      if (s > 0) await(0, static_cast<int>(s), streams_[s].kernels.size() - 1);
    }
    pause(0, last, window_.end);
    return std::move(retimed_);
  }

 private:
  void stream(std::size_t s) {
    double free = window_.begin;
    for (std::size_t i = 0; i < streams_[s].kernels.size(); ++i) {
      const Kernel& k = *streams_[s].kernels[i];
      for (const auto& [other, last] : streams_[s].awaits[i]) {
        await(s, other, last);
        free = std::max(free, streams_[static_cast<std::size_t>(other)].kernels[last]->end);
      }
      pause(s, free, k.begin);
      play(s, k);
      free = std::max(free, k.end);
      if (streams_[s].recorded[i]) add(s).kind = Activity::Kind::record;
    }
  }

  Activity& add(std::size_t stream) {
    return source_.at(trace_.rank, static_cast<int>(stream)).emplace_back();
  }

  void await(std::size_t stream, int other, std::size_t kernel) {
    auto& numbers = numbers_[other];
    if (numbers.empty()) {
      std::int64_t n = 0;
      for (bool r : streams_[static_cast<std::size_t>(other)].recorded) numbers.push_back(n += r);
    }
    add(stream) = await_activity(other, numbers[kernel]);
  }

  void pause(std::size_t stream, double from, double to) {
    if (to <= from) return;
    Activity& a = add(stream);
    a.kind = Activity::Kind::pause;
    a.time = Seconds(1e-6 * (to - from));
  }

  void play(std::size_t stream, const Kernel& k) {
    if (k.communicates && group(stream, k)) return;
    Activity a;
    if (k.communicates)
      a = communication(trace_.comms[static_cast<std::size_t>(k.call)]);
    else
      a.kind = stream == 0 ? Activity::Kind::compute : Activity::Kind::pause;
    a.begin = Seconds(1e-6 * (k.begin - window_.begin));
    a.duration = a.time = Seconds(1e-6 * (k.end - k.begin));
    add(stream) = std::move(a);
    keep_recorded(stream, k);
  }

  void keep_recorded(std::size_t stream, const Kernel& k) {
    if (!k.recorded) return;
    const auto at = source_.at(trace_.rank, static_cast<int>(stream)).size() - 1;
    retimed_.push_back({trace_.rank,
                        static_cast<int>(stream),
                        at,
                        {k.recorded->begin - window_.begin, k.recorded->end - window_.begin}});
  }

  /// Plays messages that one kernel moves; false if it has none, or one of them cannot be played.
  bool group(std::size_t stream, const Kernel& k) {
    const std::vector<Comm>& messages = trace_.comms[static_cast<std::size_t>(k.call)].messages;
    std::vector<Activity> parts;
    for (const Comm& c : messages)
      if (parts.push_back(communication(c)); parts.back().kind == Activity::Kind::collective) return false;
    if (parts.empty()) return false;
    MessageGroup group(source_.at(trace_.rank, static_cast<int>(stream)), requests_);
    for (Activity& a : parts) group.add(std::move(a));
    requests_ += group.finish();
    Activity& wait = source_.at(trace_.rank, static_cast<int>(stream)).back();
    wait.begin = Seconds(1e-6 * (k.begin - window_.begin));
    wait.duration = Seconds(1e-6 * (k.end - k.begin));
    keep_recorded(stream, k);
    return true;
  }

  Activity communication(const Comm& comm) {
    const int communicator = members(comm);
    const auto& members = source_.communicators()[static_cast<std::size_t>(communicator)];
    const auto ranks = static_cast<Rank>(members.size());
    const double element = element_bytes(comm.type);
    const Bytes in = comm.bytes >= 0 ? Bytes(comm.bytes) : Bytes(element * std::max(comm.input, 0.0)),
                out(element * std::max(comm.output, 0.0));
    if (const Rank peer = is_message(comm) ? peer_of(comm, members) : -1; peer >= 0)
      return message(comm, communicator, peer, in, out);
    const auto collective = collective_of(comm.name);
    Bytes size;
    if (collective && comm.bytes >= 0)
      size = message_by_count(*collective, in, ranks);
    else if (collective)
      size = message_of(*collective, in, out, ranks);
    Activity a = collective_activity(collective.value_or(Collective::alltoall), communicator, size);
    a.sized = collective && comm.sized();
    if (collective && definition(*collective).rooted && comm.root >= 0 && comm.root < ranks)
      a.root = comm.root;
    if (!collective) a.operation = a.call = source_.keep(comm.name);
    if (a.sized) set_parts(a, comm.sent, comm.received, in, out, ranks);
    return a;
  }

  /// The place of a message's other end among the members; -1: it is not among them.
  Rank peer_of(const Comm& comm, const std::vector<Rank>& members) const {
    if (trace_.nccl_ids) return comm.peer < std::ssize(members) ? comm.peer : -1;
    const auto peer = std::ranges::find(members, comm.peer);
    return peer == members.end() ? -1 : static_cast<Rank>(peer - members.begin());
  }

  static Activity message(const Comm& comm, int communicator, Rank peer, Bytes in, Bytes out) {
    const bool sends = comm.name == "send";
    Activity a = message_activity(sends, communicator, peer, std::max(in, sends ? Bytes(0) : out));
    a.synchronous = true;
    return a;
  }

  /// The communicator of a call's group, found once for all calls that describe the group alike.
  int members(const Comm& comm) {
    const auto [known, is_new] = communicators_.try_emplace(
        {comm.group, comm.size, comm.start, comm.stride, comm.own, is_message(comm), comm.ranks}, 0);
    if (is_new) known->second = communicator_of(comm);
    return known->second;
  }
  int communicator_of(const Comm& comm) {
    std::vector<Rank> ranks;
    if (const auto known = trace_.groups.find(comm.group); known != trace_.groups.end())
      ranks = known->second;
    else if (!comm.ranks.empty())
      ranks = comm.ranks;
    else
      ranks = strided_group(comm.start, comm.stride, comm.size, source_.ranks());
    if (!possible_group(ranks, trace_.rank, source_.ranks()))
      ranks = inferred(comm, comm.size > 0 ? comm.size : static_cast<Rank>(ranks.size()));
    if (ranks.empty() || ranks == source_.communicators()[0]) return 0;
    const int number = source_.communicator(comm.group, ranks);
    if (const auto said = trace_.descriptions.find(comm.group); said != trace_.descriptions.end())
      source_.name(number, said->second);
    return number;
  }

  /// The members of a group if the trace has its size, or only its id (`size` 0); empty: all ranks.
  std::vector<Rank> inferred(const Comm& comm, Rank size) {
    const Rank world = source_.ranks();
    const bool of_world = is_message(comm) && !trace_.nccl_ids;  // its peer is a rank of the world
    if (of_world || size == world) return {};
    if (size == 0 && comm.group.empty()) {
      if (world > 2) take(size, "all ranks");
      return {};
    }
    std::vector<Rank> ranks;
    // torch gives several groups that share no rank the same name.
    if (trace_.nccl_ids || (size > 0 && world % size > 0)) ranks = callers_.of(comm.group, size);
    if (!ranks.empty()) {
      if (ranks != source_.communicators()[0]) take(size, "the ranks that call them");
    } else if (size == 0 || size > world) {
      take(size, "all ranks");
    } else {
      ranks = equidistant_group(trace_.rank, comm.own, size, world,
                                [&](Rank distance) { return callers_.fit(comm.group, size, distance); });
      const bool near = ranks.back() - ranks.front() < size;
      if (size > 1) take(size, near ? "consecutive ranks" : "ranks of equal distance");
    }
    return ranks;
  }

  void take(Rank size, const std::string& those) {
    SourceInfo& info = source_.info();
    add_once(info.notes, "groups of " + (size == 0 ? "unknown size" : std::to_string(size) + " ranks") +
                             ", of which the trace has no members, are taken for " + those);
    add_once(info.unknown, "members of groups that the trace does not list");
  }

  RecordedSource& source_;
  const RankTrace& trace_;
  const Callers& callers_;
  Span window_;
  std::vector<GpuStream> streams_;
  /// Communicators by the group's name, size, first rank, distance, the rank's place in it, whether the call
  /// is a message, and the members.
  std::map<std::tuple<std::string, int, int, int, int, bool, std::vector<int>>, int> communicators_;
  std::int64_t requests_ = 0;
  std::vector<Retimed> retimed_;
  std::map<int, std::vector<std::int64_t>> numbers_;  ///< by stream: the last record up to each kernel
};

}  // namespace

Callers::Callers(const std::vector<RankTrace>& traces, Rank world) : whole_(std::ssize(traces) == world) {
  for (const RankTrace& t : traces)
    for (const auto& [thread, calls] : t.calls)
      for (const HostCall& call : calls) add(t, call.comm);
}

std::vector<Rank> Callers::of(const std::string& group, Rank size) const {
  const auto found = all_.find(group);
  if (found == all_.end() || (size > 0 ? std::ssize(found->second) != size : !whole_)) return {};
  std::vector<Rank> ranks;
  for (const auto& [rank, own] : found->second) ranks.push_back(rank);
  std::ranges::stable_sort(ranks, {}, [&](Rank r) { return found->second.at(r); });
  return ranks;
}

bool Callers::fit(const std::string& group, Rank size, Rank stride) const {
  const auto found = all_.find(group);
  return found == all_.end() || std::ranges::all_of(found->second, [&](const auto& caller) {
           return caller.second < 0 || is_place(caller.first, caller.second, size, stride);
         });
}

void Callers::add(const RankTrace& trace, const Comm& comm) {
  if (!comm.group.empty()) {
    int& own = all_[comm.group].try_emplace(trace.rank, comm.own).first->second;
    own = std::max(own, comm.own);
  }
  for (const Comm& message : comm.messages) add(trace, message);
}

std::vector<Retimed> add_activities(RecordedSource& source, const RankTrace& trace, const Callers& callers,
                                    Span window) {
  return GpuRank(source, trace, callers, window).build();
}

}  // namespace collcast::gpu
