// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/edges.hpp"

#include <algorithm>
#include <iterator>

namespace collcast::trace {

void Ranges::add(std::int64_t number) {
  if (contains(number)) return;
  const auto next = ends_.upper_bound(number);
  const std::int64_t end = next != ends_.end() && next->first == number + 1 ? next->second : number + 1;
  if (end != number + 1) ends_.erase(next);
  const auto after = ends_.upper_bound(number);
  const bool extends = after != ends_.begin() && std::prev(after)->second == number;
  (extends ? std::prev(after)->second : ends_[number]) = end;
}

bool Ranges::contains(std::int64_t number) const {
  const auto after = ends_.upper_bound(number);
  return after != ends_.begin() && number < std::prev(after)->second;
}

std::int64_t Ranges::absent_from(const Ranges& other) const {
  std::int64_t absent = 0;
  auto theirs = other.ends_.begin();
  for (const auto& [begin, end] : ends_) {
    absent += end - begin;
    while (theirs != other.ends_.end() && theirs->second <= begin) ++theirs;
    for (auto t = theirs; t != other.ends_.end() && t->first < end; ++t)
      absent -= std::min(end, t->second) - std::max(begin, t->first);
  }
  return absent;
}

void Edges::count(const Event& e, int me) {
  if (e.send_number != none) channels_[{e.comm, me, e.dest, e.send_tag}].sent.add(e.send_number);
  if (e.recv_number != none) channels_[{e.comm, e.source, me, e.recv_tag}].received.add(e.recv_number);
}

void Edges::cut(Event& e, int me) const {
  const auto at = [&](int from, int to, int tag) -> const Ends& {
    return channels_.at({e.comm, from, to, tag});
  };
  const bool sends_out =
      e.send_number != none && !at(me, e.dest, e.send_tag).received.contains(e.send_number);
  const bool receives_out =
      e.recv_number != none && !at(e.source, me, e.recv_tag).sent.contains(e.recv_number);
  if (sends_out) e.dest = proc_null;
  if (receives_out) e.source = proc_null;
  e.send_number = e.recv_number = none;
  for (Completion& done : e.completed) done.number = none;
}

std::vector<Loss> Edges::losses() const {
  std::int64_t sent = 0, received = 0;
  for (const auto& [channel, ends] : channels_) {
    sent += ends.sent.absent_from(ends.received);
    received += ends.received.absent_from(ends.sent);
  }
  std::vector<Loss> all;
  if (received > 0) all.push_back({"messages", received, "received in the window and sent outside it"});
  if (sent > 0) all.push_back({"messages", sent, "sent in the window and received outside it"});
  return all;
}

}  // namespace collcast::trace
