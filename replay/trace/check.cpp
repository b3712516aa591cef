// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/check.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace collcast::trace {
namespace {

/// Messages between two ranks of a communicator with one tag.
struct Channel {
  CommId comm;
  int source, dest, tag;
  auto operator<=>(const Channel&) const = default;
};

std::uint64_t mix(std::uint64_t hash, std::uint64_t part) {
  hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

/// The size that all members of a communicator have to agree on in a collective, as far as its event knows
/// it. 0 for gatherv, scatterv and alltoallv, in which each member knows only its own blocks.
std::uint64_t common_size(const Event& event) {
  switch (event.op) {
    case Op::bcast:
    case Op::reduce:
    case Op::allreduce:
    case Op::scan:
    case Op::exscan:
    case Op::reduce_scatter_block:
    case Op::gather:
    case Op::allgather:
    case Op::alltoall:
      return static_cast<std::uint64_t>(event.send_bytes);
    case Op::scatter:
      return static_cast<std::uint64_t>(event.recv_bytes);
    case Op::reduce_scatter:
    case Op::allgatherv: {
      std::uint64_t all = 0;
      for (const std::int64_t size : event.recv_counts) all = mix(all, static_cast<std::uint64_t>(size));
      return all;
    }
    default:
      return 0;
  }
}

/// The collectives of one rank on one communicator: their number, and fingerprints of their kinds, order and
/// sizes.
struct Sequence {
  std::int64_t count = 0;
  std::uint64_t calls = 0, sizes = 0;

  void add(const Event& event) {
    ++count;
    calls = mix(mix(calls, static_cast<std::uint64_t>(event.op)), static_cast<std::uint64_t>(event.root) + 8);
    sizes = mix(sizes, common_size(event));
  }
};

/// Adds the blocks that pairs of ranks exchange to a balance: sent blocks count up, received ones count down.
void add_blocks(const Event& event, std::int64_t number, int me, std::uint64_t& balance) {
  const auto block = [number](int from, int to, std::int64_t size) {
    return mix(mix(mix(mix(1, static_cast<std::uint64_t>(number)), static_cast<std::uint64_t>(from)),
                   static_cast<std::uint64_t>(to)),
               static_cast<std::uint64_t>(size));
  };
  for (std::size_t r = 0; r < event.send_counts.size(); ++r)
    balance += block(me, static_cast<int>(r), event.send_counts[r]);
  for (std::size_t r = 0; r < event.recv_counts.size(); ++r)
    balance -= block(static_cast<int>(r), me, event.recv_counts[r]);
}

std::string text(const Channel& c) {
  return "communicator " + std::to_string(c.comm) + ", rank " + std::to_string(c.source) + " to " +
         std::to_string(c.dest) + ", tag " + std::to_string(c.tag);
}

class Checker {
 public:
  explicit Checker(const Reader& reader) : reader_(reader) {}

  Contradictions run() {
    for (rank_ = 0; rank_ < reader_.ranks(); ++rank_) read_rank();
    if (!reader_.truncated()) compare_channels(), compare_sequences(), compare_blocks();
    return std::move(found_);
  }

 private:
  void read_rank() {
    requests_.clear();
    position_ = 0;
    Event event;
    for (auto cursor = reader_.rank(rank_); cursor.next(event); ++position_) read_event(event, cursor);
    if (!reader_.truncated() && !requests_.empty())
      add(found_.notes, "rank " + std::to_string(rank_) + " never completes " +
                            std::to_string(requests_.size()) + " of its requests, the first one " +
                            std::to_string(*requests_.begin()));
  }

  void read_event(const Event& event, Cursor& cursor) {
    track_requests(event);
    if (event.comm == none) return;
    const int me = cursor.place(event.comm);
    if (class_of(event.op) == OpClass::collective || class_of(event.op) == OpClass::communicator) {
      // A group may make a communicator without the other ranks, and so may a member free one.
      if (event.op == Op::comm_create_group || event.op == Op::comm_free) return;
      Sequence& mine = sequences_[event.comm][me];
      if (event.op == Op::alltoallv || event.op == Op::alltoallw)
        add_blocks(event, mine.count, me, blocks_[event.comm]);
      mine.add(event);
    } else if (class_of(event.op) != OpClass::probe) {
      count_messages(event, me);
    }
  }

  void count_messages(const Event& event, int me) {
    if (event.dest >= 0) ++channels_[{event.comm, me, event.dest, event.send_tag}];
    if (event.source == any || (event.source >= 0 && event.recv_tag == any))
      return report(found_.notes, event, "never found its message");
    if (event.source >= 0) --channels_[{event.comm, event.source, me, event.recv_tag}];
  }

  void track_requests(const Event& event) {
    if (event.nonblocking() && !requests_.insert(event.request).second)
      report(found_.errors, event, "begins request " + std::to_string(event.request) + " a second time");
    for (const auto& done : event.completed)
      if (requests_.erase(done.request) == 0)
        report(found_.errors, event,
               "completes request " + std::to_string(done.request) + ", which is not active");
  }

  void compare_channels() {
    for (const auto& [channel, surplus] : channels_) {
      if (surplus == 0) continue;
      const std::string messages =
          std::to_string(std::abs(surplus)) + (std::abs(surplus) == 1 ? " message" : " messages");
      if (surplus > 0)
        add(found_.notes, text(channel) + ": " + messages + " sent and never received");
      else
        add(found_.errors, text(channel) + ": " + messages + " received and never sent");
    }
  }

  void compare_sequences() {
    for (const auto& [comm, ranks] : sequences_) {
      const auto& members = reader_.communicators()[static_cast<std::size_t>(comm)];
      for (int r = 0; r < static_cast<int>(members.size()); ++r) compare_member(comm, ranks, r);
    }
  }

  void compare_member(CommId comm, const std::map<int, Sequence>& ranks, int r) {
    const auto found = ranks.find(r);
    const Sequence mine = found == ranks.end() ? Sequence{} : found->second;
    const auto& [first_rank, first] = *ranks.begin();
    const std::string us = "communicator " + std::to_string(comm) + ": rank " + std::to_string(r);
    const std::string them = "rank " + std::to_string(first_rank);
    if (mine.count != first.count)
      add(found_.errors, us + " calls " + std::to_string(mine.count) + " collectives, " + them + " calls " +
                             std::to_string(first.count));
    else if (mine.calls != first.calls)
      add(found_.errors, us + " calls other collectives, or other roots, than " + them);
    else if (mine.sizes != first.sizes)
      add(found_.notes,
          us + " gives other sizes to collectives than " + them + "; those of whoever comes first count");
  }

  void compare_blocks() {
    for (const auto& [comm, balance] : blocks_)
      if (balance != 0)
        add(found_.notes, "communicator " + std::to_string(comm) +
                              ": ranks of an alltoall disagree on the sizes of the blocks between them");
  }

  void report(std::vector<std::string>& to, const Event& event, const std::string& what) {
    add(to, "rank " + std::to_string(rank_) + ", event " + std::to_string(position_) + ": " +
                mpi_name(event.op, event.nonblocking()) + " " + what);
  }

  static void add(std::vector<std::string>& to, std::string line) {
    constexpr std::size_t most = 1000;
    if (to.size() < most) to.push_back(std::move(line));
  }

  const Reader& reader_;
  int rank_ = 0;
  std::int64_t position_ = 0;
  std::set<RequestId> requests_;
  std::map<Channel, std::int64_t> channels_;
  std::map<CommId, std::map<int, Sequence>> sequences_;
  std::map<CommId, std::uint64_t> blocks_;
  Contradictions found_;
};

}  // namespace

Contradictions check(const Reader& reader) {
  return Checker(reader).run();
}

}  // namespace collcast::trace
