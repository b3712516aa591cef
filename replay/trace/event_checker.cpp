// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/event_checker.hpp"

#include <algorithm>
#include <climits>

namespace collcast::trace {
namespace {

enum class List { nowhere, everywhere, at_root };

/// Whether a collective names a root, and which ranks list sizes for each rank of the communicator.
struct Shape {
  Op op;
  bool rooted;
  List sent = List::nowhere, received = List::nowhere;
};

constexpr Shape shapes[] = {
    {Op::bcast, true},
    {Op::reduce, true},
    {Op::gather, true},
    {Op::scatter, true},
    {Op::gatherv, true, List::nowhere, List::at_root},
    {Op::scatterv, true, List::at_root, List::nowhere},
    {Op::allgatherv, false, List::nowhere, List::everywhere},
    {Op::reduce_scatter, false, List::nowhere, List::everywhere},
    {Op::alltoallv, false, List::everywhere, List::everywhere},
    {Op::alltoallw, false, List::everywhere, List::everywhere},
};

Shape shape_of(Op op) {
  const auto* found = std::ranges::find(shapes, op, &Shape::op);
  return found == std::end(shapes) ? Shape{op, false} : *found;
}

bool possible(std::int64_t bytes) {
  return bytes >= 0 && bytes <= most_bytes;
}

bool possible(const std::vector<std::int64_t>& sizes) {
  std::int64_t left = most_bytes;
  return std::ranges::all_of(sizes,
                             [&](std::int64_t bytes) { return possible(bytes) && (left -= bytes) >= 0; });
}

bool is_request(RequestId request) {
  return request >= 0 && request < INT_MAX;
}

/// What is wrong with an event's peers: a message goes to one of `size` ranks, or nowhere; a receive may take
/// one from anyone.
std::string peer_flaw(const Event& e, OpClass kind, int size) {
  const auto outside = [&](int peer) {
    return "names rank " + std::to_string(peer) + " of " + std::to_string(size);
  };
  const bool sends = kind == OpClass::send || kind == OpClass::exchange;
  const bool receives = kind == OpClass::receive || kind == OpClass::exchange;
  if (sends && e.dest != proc_null && (e.dest < 0 || e.dest >= size)) return outside(e.dest);
  if (sends && e.dest >= 0 && e.send_tag < 0) return "has tag " + std::to_string(e.send_tag);
  if (receives && e.source != proc_null && e.source != any && (e.source < 0 || e.source >= size))
    return outside(e.source);
  if (receives && e.source != proc_null && e.recv_tag < 0 && e.recv_tag != any)
    return "has tag " + std::to_string(e.recv_tag);
  return "";
}

std::string list_flaw(const std::vector<std::int64_t>& sizes, List wanted, bool root, std::size_t ranks) {
  const bool there = wanted == List::everywhere || (wanted == List::at_root && root);
  if (sizes.size() == (there ? ranks : 0)) return "";
  return "lists " + std::to_string(sizes.size()) + " sizes where " + std::to_string(there ? ranks : 0) +
         " are needed";
}

std::string collective_flaw(const Event& e, int me, int size) {
  const Shape shape = shape_of(e.op);
  if (shape.rooted && (e.root < 0 || e.root >= size))
    return "has root " + std::to_string(e.root) + " of " + std::to_string(size);
  const bool root = e.root == me;
  const std::string sent = list_flaw(e.send_counts, shape.sent, root, static_cast<std::size_t>(size));
  return sent.empty() ? list_flaw(e.recv_counts, shape.received, root, static_cast<std::size_t>(size)) : sent;
}

}  // namespace

int EventChecker::place(CommId comm) {
  const auto [at, fresh] = places_.try_emplace(comm, none);
  if (fresh) {
    const std::vector<int>& members = (*communicators_)[static_cast<std::size_t>(comm)];
    const auto found = std::ranges::find(members, rank_);
    if (found != members.end()) at->second = static_cast<int>(found - members.begin());
  }
  return at->second;
}

std::string EventChecker::flaw(const Event& e) {
  for (const CommId comm : {e.comm, e.new_comm}) {
    if (comm == none) continue;
    if (comm < 0 || static_cast<std::size_t>(comm) >= communicators_->size())
      return "names communicator " + std::to_string(comm) + " of " + std::to_string(communicators_->size());
    if (place(comm) == none) return "is on communicator " + std::to_string(comm) + ", which lacks this rank";
  }
  if (!possible(e.send_bytes) || !possible(e.recv_bytes) || !possible(e.send_counts) ||
      !possible(e.recv_counts) || e.datatype_bytes < 0)
    return "has a size below 0 or above 64 TiB";
  if (std::max({e.compute, e.duration, e.polling}) > longest_of_all) return "has a time above 30 years";
  if (e.polls < 0) return "has " + std::to_string(e.polls) + " polls";
  if (e.thread < 0 || e.thread >= threads_)
    return "is of thread " + std::to_string(e.thread) + " of " + std::to_string(threads_);
  if (e.overlapped < 0) return "overlaps " + std::to_string(e.overlapped) + " calls";
  if (e.request != none && !is_request(e.request)) return "begins request " + std::to_string(e.request);
  for (const Completion& done : e.completed)
    if (!is_request(done.request)) return "completes request " + std::to_string(done.request);
  const OpClass kind = class_of(e.op);
  const bool message = kind == OpClass::send || kind == OpClass::receive || kind == OpClass::exchange;
  if (e.comm == none) return message ? "is on no communicator" : "";
  const int size = static_cast<int>((*communicators_)[static_cast<std::size_t>(e.comm)].size());
  if (message) return peer_flaw(e, kind, size);
  return kind == OpClass::collective ? collective_flaw(e, place(e.comm), size) : "";
}

std::string EventChecker::complaint(const Event& event) {
  const std::string what = flaw(event);
  const std::int64_t number = events_++;
  if (what.empty()) return "";
  return "rank " + std::to_string(rank_) + ", event " + std::to_string(number) + ": " +
         mpi_name(event.op, event.nonblocking()) + ' ' + what;
}

}  // namespace collcast::trace
