// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/check.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace collcast::trace {
namespace {

/// Messages between two ranks of a communicator with one tag.
struct Channel {
  CommId comm;
  int source, dest, tag;
  auto operator<=>(const Channel&) const = default;
};

/// The collectives of one rank on one communicator: how many, and a fingerprint of which, in what order.
struct Sequence {
  std::int64_t count = 0;
  std::uint64_t fingerprint = 14695981039346656037u;

  void add(const Event& event) {
    ++count;
    for (std::uint64_t part :
         {static_cast<std::uint64_t>(event.op), static_cast<std::uint64_t>(event.root + 8)})
      fingerprint = (fingerprint ^ part) * 1099511628211u;
  }
  bool operator==(const Sequence&) const = default;
};

std::string text(const Channel& c) {
  return "communicator " + std::to_string(c.comm) + ", rank " + std::to_string(c.source) + " to " +
         std::to_string(c.dest) + ", tag " + std::to_string(c.tag);
}

class Checker {
 public:
  explicit Checker(const Reader& reader) : reader_(reader) {}

  std::vector<std::string> run() {
    for (rank_ = 0; rank_ < reader_.ranks(); ++rank_) read_rank();
    compare_channels();
    compare_sequences();
    return std::move(problems_);
  }

 private:
  void read_rank() {
    requests_.clear();
    position_ = 0;
    Event event;
    for (auto cursor = reader_.rank(rank_); cursor.next(event); ++position_) read_event(event);
  }

  void read_event(const Event& event) {
    track_requests(event);
    if (event.comm == none) return;
    const auto& members = reader_.communicators()[static_cast<std::size_t>(event.comm)];
    const auto self = std::find(members.begin(), members.end(), rank_);
    if (self == members.end()) return report(event, "is on a communicator that lacks this rank");
    for (int peer : {event.dest, event.source, event.root})
      if (peer >= static_cast<int>(members.size())) report(event, "names rank " + std::to_string(peer));
    const int me = static_cast<int>(self - members.begin());
    if (class_of(event.op) == OpClass::collective || class_of(event.op) == OpClass::communicator) {
      // A group may make a communicator, and a member free one, without the others.
      if (event.op != Op::comm_create_group && event.op != Op::comm_free)
        sequences_[event.comm][me].add(event);
    } else if (class_of(event.op) != OpClass::probe) {
      count_messages(event, me);
    }
  }

  void count_messages(const Event& event, int me) {
    if (event.dest >= 0) ++channels_[{event.comm, me, event.dest, event.send_tag}];
    if (event.source == any || (event.source >= 0 && event.recv_tag == any))
      return report(event, "never found its message");
    if (event.source >= 0) --channels_[{event.comm, event.source, me, event.recv_tag}];
  }

  void track_requests(const Event& event) {
    if (event.nonblocking() && !requests_.insert(event.request).second)
      report(event, "begins request " + std::to_string(event.request) + " a second time");
    for (const auto& done : event.completed)
      if (requests_.erase(done.request) == 0)
        report(event, "completes request " + std::to_string(done.request) + ", which is not active");
  }

  void compare_channels() {
    for (const auto& [channel, surplus] : channels_)
      if (surplus != 0)
        add(text(channel) + ": " + std::to_string(std::abs(surplus)) + " message(s) " +
            (surplus > 0 ? "sent and never received" : "received and never sent"));
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
    if (mine == first) return;
    const std::string us = "communicator " + std::to_string(comm) + ": rank " + std::to_string(r);
    const std::string them = "rank " + std::to_string(first_rank);
    if (mine.count == first.count)
      add(us + " calls other collectives, or other roots, than " + them);
    else
      add(us + " calls " + std::to_string(mine.count) + " collectives, " + them + " calls " +
          std::to_string(first.count));
  }

  void report(const Event& event, const std::string& what) {
    add("rank " + std::to_string(rank_) + ", event " + std::to_string(position_) + ": " +
        mpi_name(event.op, event.nonblocking()) + " " + what);
  }

  void add(std::string problem) {
    constexpr std::size_t most = 1000;
    if (problems_.size() < most) problems_.push_back(std::move(problem));
  }

  const Reader& reader_;
  int rank_ = 0;
  std::int64_t position_ = 0;
  std::set<RequestId> requests_;
  std::map<Channel, std::int64_t> channels_;
  std::map<CommId, std::map<int, Sequence>> sequences_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> check(const Reader& reader) {
  return Checker(reader).run();
}

}  // namespace collcast::trace
