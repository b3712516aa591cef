// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/otf2_events.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "replay/formats/names.hpp"

namespace collcast::otf2 {
namespace {

using Kind = Activity::Kind;

/// The names of MPI's collectives by OTF2's numbers.
constexpr std::array<std::string_view, 17> collective_names = {"Barrier",
                                                               "Bcast",
                                                               "Gather",
                                                               "Gatherv",
                                                               "Scatter",
                                                               "Scatterv",
                                                               "Allgather",
                                                               "Allgatherv",
                                                               "Alltoall",
                                                               "Alltoallv",
                                                               "Alltoallw",
                                                               "Allreduce",
                                                               "Reduce",
                                                               "Reduce_scatter",
                                                               "Scan",
                                                               "Exscan",
                                                               "Reduce_scatter_block"};

int plausible_tag(std::uint32_t tag) {
  return static_cast<int>(std::min<std::uint32_t>(tag, 1 << 30));
}

void fill(Activity& a, std::uint32_t from, std::uint32_t tag, std::uint64_t bytes) {
  a.from = static_cast<Rank>(from);
  a.received_tag = plausible_tag(tag);
  a.received_bytes = Bytes(static_cast<double>(bytes));
}

/// A collective's message by the bytes that Score-P counts.
Bytes message_of(Collective kind, std::string_view name, double ranks, double sent, double received) {
  switch (kind) {
    case Collective::allreduce:
      return Bytes(sent / ranks);
    case Collective::broadcast:
    case Collective::allgather:
      return Bytes(received);
    case Collective::gather:
      return Bytes(name == "Gatherv" ? received : ranks * sent);
    case Collective::scatter:
      return Bytes(name == "Scatterv" ? sent : ranks * received);
    default:
      return Bytes(sent);
  }
}

}  // namespace

RankEvents::RankEvents(RecordedSource& source, const Definitions& definitions, Rank rank, std::size_t most)
    : source_(source),
      definitions_(definitions),
      stream_(source.at(rank)),
      rank_(rank),
      most_(most),
      before_(definitions.begin) {}

void RankEvents::enter(std::uint64_t time, Reference region) {
  const auto call = definitions_.mpi.find(region);
  last_ = std::max(last_, time);
  if (call == definitions_.mpi.end() || depth_++ > 0) return;
  const auto name = definitions_.strings.find(call->second);
  call_ = source_.keep(name == definitions_.strings.end() ? "MPI" : name->second);
  entered_ = std::max(time, before_);
  if (entered_ > before_) {
    Activity& gap = stream_.emplace_back();
    gap.begin = Seconds(seconds(before_));
    gap.time = gap.duration = Seconds(seconds(entered_) - seconds(before_));
  }
  inside_ = stream_.size();
  done_.clear();
}

void RankEvents::leave(std::uint64_t time, Reference region) {
  last_ = std::max(last_, time);
  if (depth_ == 0 || !definitions_.mpi.contains(region) || --depth_ > 0) return;
  if (stream_.size() == inside_ + 2 && call_.starts_with("MPI_Sendrecv"))
    join(stream_[inside_], stream_[inside_ + 1]);
  if (!done_.empty()) wait(std::move(done_));
  done_.clear();
  if (stream_.size() == inside_ && !quiet_mpi_call(call_))
    skip(stream_.emplace_back(), "is a call that is not played");
  before_ = std::max(time, entered_);
  for (std::size_t i = inside_; i < stream_.size(); ++i) {
    stream_[i].begin = Seconds(seconds(entered_));
    stream_[i].duration = Seconds(seconds(before_) - seconds(entered_));
  }
  failed_ = failed_ || stream_.size() > most_;
}

void RankEvents::send(std::uint32_t to, Reference comm, std::uint32_t tag, std::uint64_t bytes,
                      std::optional<std::uint64_t> request) {
  Activity& a = message(Kind::send, comm, to);
  a.to = static_cast<Rank>(to);
  a.tag = plausible_tag(tag);
  a.bytes = Bytes(static_cast<double>(bytes));
  a.synchronous = call_.find("ssend") != call_.npos || call_.find("Ssend") != call_.npos;
  if (request && a.kind == Kind::send) ask(a, sends_[*request]);
}

void RankEvents::receive(std::uint32_t from, Reference comm, std::uint32_t tag, std::uint64_t bytes) {
  fill(message(Kind::receive, comm, from), from, tag, bytes);
}

void RankEvents::post(std::uint64_t request) {
  receives_[request] = stream_.size();
  skip(stream_.emplace_back(), "is never completed");
}

void RankEvents::complete_receive(std::uint32_t from, Reference comm, std::uint32_t tag, std::uint64_t bytes,
                                  std::uint64_t request) {
  const auto posted = receives_.find(request);
  if (posted == receives_.end()) return receive(from, comm, tag, bytes);
  Activity& a = stream_[posted->second];
  receives_.erase(posted);
  a.kind = Kind::receive;
  a.operation = "recv";
  a.note = {};
  place(a, comm, from);
  fill(a, from, tag, bytes);
  if (a.kind != Kind::receive) return;
  a.request = next_++;
  done_.push_back(a.request);
}

void RankEvents::cancel(std::uint64_t request) {
  if (const auto posted = receives_.find(request); posted != receives_.end()) {
    skip(stream_[posted->second], "was cancelled");
    receives_.erase(posted);
  }
  complete(sends_, request);
}

void RankEvents::post_collective(std::uint64_t request) {
  collectives_[request] = stream_.size();
  skip(stream_.emplace_back(), "is never completed");
}

void RankEvents::complete_collective(std::uint64_t request, const Collected& what) {
  const auto posted = collectives_.find(request);
  if (posted == collectives_.end()) return;
  Activity& a = stream_[posted->second];
  const Activity as_posted = std::exchange(a, collective(a.call, what));
  collectives_.erase(posted);
  a.begin = as_posted.begin, a.duration = as_posted.duration;
  if (a.kind != Kind::collective) return;
  a.request = next_++;
  done_.push_back(a.request);
}

void RankEvents::finish() {
  if (!open_.empty()) wait({open_.begin(), open_.end()});
}

/// Since the archive's begin.
double RankEvents::seconds(std::uint64_t time) const {
  return static_cast<double>(time - std::min(time, definitions_.begin)) / definitions_.ticks_per_second;
}

void RankEvents::skip(Activity& a, std::string_view why) const {
  const std::string_view call = a.call.empty() ? call_ : a.call;
  const Seconds begin = a.begin, duration = a.duration;
  a = {};
  a.kind = Kind::skipped;
  a.operation = a.call = call;
  a.note = why;
  a.begin = begin, a.duration = duration;
}

/// The communicator's number in the source; none if the archive does not say its members.
std::optional<int> RankEvents::communicator(Reference comm) {
  const auto [known, is_new] = numbers_.try_emplace(comm);
  if (is_new) known->second = new_communicator(comm);
  return known->second;
}

std::optional<int> RankEvents::new_communicator(Reference comm) {
  const auto definition = definitions_.comms.find(comm);
  if (definition == definitions_.comms.end()) return {};
  const auto group = definitions_.groups.find(definition->second);
  if (group == definitions_.groups.end()) return {};
  if (group->second.self) return source_.communicator("self", {rank_});
  std::vector<Rank> members;
  for (const std::uint64_t m : group->second.members)
    if (m < static_cast<std::uint64_t>(source_.ranks())) members.push_back(static_cast<Rank>(m));
  if (members.size() != group->second.members.size()) return {};
  const bool world = members == source_.communicators()[0];
  const int number = source_.communicator(world ? "" : std::to_string(comm), members);
  if (!std::ranges::count(members, rank_)) return {};
  return number;
}

Activity& RankEvents::message(Kind kind, Reference comm, std::uint32_t peer) {
  Activity& a = stream_.emplace_back();
  a.kind = kind;
  a.operation = kind == Kind::send ? "send" : "recv";
  a.call = call_;
  place(a, comm, peer);
  return a;
}

void RankEvents::place(Activity& a, Reference comm, std::uint32_t peer) {
  const auto number = communicator(comm);
  if (!number || peer >= source_.communicators()[static_cast<std::size_t>(*number)].size())
    return skip(a, "its communicator's members are not followed");
  a.communicator = *number;
}

/// Joins the send and the receive of one call into an exchange, unless their requests are waited for.
void RankEvents::join(Activity& send, const Activity& receive) {
  if (send.kind != Kind::send || receive.kind != Kind::receive || send.communicator != receive.communicator)
    return;
  if (send.request >= 0 || receive.request >= 0) return;
  send.kind = Kind::exchange;
  send.operation = "sendrecv";
  send.from = receive.from;
  send.received_tag = receive.received_tag;
  send.received_bytes = receive.received_bytes;
  stream_.pop_back();
}

void RankEvents::ask(Activity& a, std::int64_t& request) {
  a.request = request = next_++;
  open_.insert(a.request);
}

void RankEvents::complete(Requests& requests, std::uint64_t request) {
  const auto found = requests.find(request);
  if (found == requests.end()) return;
  open_.erase(found->second);
  done_.push_back(found->second);
  requests.erase(found);
}

void RankEvents::wait(std::vector<std::int64_t> requests) {
  stream_.push_back(wait_activity(std::move(requests)));
}

Activity RankEvents::collective(std::string_view call, const Collected& what) {
  Activity a;
  a.call = call;
  const auto number = communicator(what.comm);
  const std::string_view name =
      what.operation < collective_names.size() ? collective_names[what.operation] : std::string_view{};
  const auto kind = collective_of(name);
  if (!number) return skip(a, "its communicator's members are not followed"), a;
  if (!kind || name == "Scan" || name == "Exscan") return skip(a, "is a call that is not played"), a;
  const auto& members = source_.communicators()[static_cast<std::size_t>(*number)];
  const auto me = static_cast<std::uint32_t>(std::ranges::find(members, rank_) - members.begin());
  std::uint32_t root = what.root == own_root ? me : what.root;
  if (root >= members.size()) root = 0;
  a = collective_activity(*kind, *number,
                          message_of(*kind, name, static_cast<double>(members.size()),
                                     static_cast<double>(what.sent), static_cast<double>(what.received)));
  a.call = call;
  a.root = static_cast<Rank>(root);
  const bool unequal =
      name == "Alltoallv" || name == "Alltoallw" || ((name == "Gatherv" || name == "Scatterv") && root != me);
  a.sized = !unequal;
  return a;
}

}  // namespace collcast::otf2
