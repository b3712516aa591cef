// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engines/player/interpreter.hpp"
#include "support/error.hpp"

namespace collcast {

namespace {

/// Sorts messages into the order of the program. Mostly they are in order, or nearly so, as when ranks are in
/// step.
void put_in_order(auto& messages) {
  const auto by_order = [](const auto& a, const auto& b) { return a.order < b.order; };
  const auto rest = std::is_sorted_until(messages.begin(), messages.end(), by_order);
  if (rest == messages.end()) return;
  if (std::is_sorted(rest, messages.end(), by_order))
    std::inplace_merge(messages.begin(), rest, messages.end(), by_order);
  else
    std::stable_sort(messages.begin(), messages.end(), by_order);
}

}  // namespace

// As in contended.cpp, functions that every message passes through are inline.

inline Wire Interpreter::cross(const Op& op, Place from, Place to, Bytes& carried) const {
  if (op.kind != Op::Kind::multicast && !op.merged) return fabric_.wire(from, to, op.bytes);
  const auto how = op.merged ? Switching::reduction : Switching::multicast;
  const Switched message = fabric_.switched(how, from, to, op.bytes);
  carried = message.bytes;
  return message.wire;
}

/// A new message, for whose ends nothing waits yet.
inline Index Interpreter::outgoing(Rank rank, Rank peer, const Op& op) {
  check_peer(rank, peer);
  const Place from{rank, op.from}, to{peer, op.to};
  Bytes carried = op.bytes;
  const Index id = messages_.made([&] {
    return Message{.from = from,
                   .to = to,
                   .wire = cross(op, from, to, carried),
                   .tag = op.tag,
                   .order = op.order,
                   .merged = op.merged,
                   .combine = op.combine};
  });
  Message& m = messages_[id];
  m.bytes = carried;
  if (op.other_sender && protocol_.other_senders) m.wire.overhead += m.wire.other_sender;
  m.eager = protocol_.hold == MessageProtocol::Hold::injection && m.wire.eager;
  return id;
}

void Interpreter::post_send(Index strand, const Op& op) {
  const Index id = outgoing(strands_[strand].rank, op.peer, op);
  Message& m = messages_[id];
  m.sender = hold(strand, op);
  if (m.eager && m.merged) {
    m.posted = backend_.now() + m.wire.overhead;
    m.why = log_.add(why_, m.wire.overhead, Cause::overhead, m.from, m.to);
  } else if (!m.merged) {
    pay_for(m.sender, m);
  }
  ++sent_messages_;
  sent_bytes_ += op.bytes;
  emit(id);
}

/// Both ends are on this rank, so no matching is needed.
void Interpreter::post_copy(Index strand, const Op& op) {
  const Rank rank = strands_[strand].rank;
  const Index id = outgoing(rank, rank, op);
  Message& m = messages_[id];
  m.receiver = hold(strand, op);
  m.receive_posted = true;
  pay_for(m.receiver, m);
  depart(id);
}

void Interpreter::post_multicast(Index strand, const Op& op) {
  const Rank rank = strands_[strand].rank;
  Rank copies = 0;
  for (Rank i = 0; i < op.group.count; ++i) copies += op.group_member(i) != rank;
  if (copies == 0) return;
  const Waiter sender = hold(strand, op);
  const Index group = groups_.add({rank, sender, copies, copies, op.tag});
  Moment& busy = busy_until(rank, sender);
  const Moment begin = busy;
  Moment end = begin;  // the overheads of all copies are paid at once
  ++sent_messages_;
  sent_bytes_ += op.bytes;
  for (Rank i = 0; i < op.group.count; ++i) {
    if (op.group_member(i) == rank) continue;
    const Index id = outgoing(rank, op.group_member(i), op);
    messages_[id].group = group;
    busy = begin;
    pay_for(sender, messages_[id]);
    if (busy.at > end.at) end = busy;
    emit(id);
  }
  busy = end;
}

/// Matches the message with its receive if that is posted; sends it if it may leave.
inline void Interpreter::emit(Index id) {
  Message& m = messages_[id];
  const Table::Key key = match_key(m.from.rank, m.to.rank, m.tag);
  const auto [at, met] = match(key, true);
  Post& post = posts_[at];
  if (met) {
    m.receiver = post.receiver;
    m.combine = post.combine;
    m.order = std::max(m.order, post.order);
    m.receive_posted = true;
    posts_.remove(at);
  } else {
    post.message = id;
  }
  if (m.eager || m.receive_posted) depart(id);
}

void Interpreter::post_receive(Index strand, const Op& op) {
  const Rank rank = strands_[strand].rank;
  check_peer(rank, op.peer);
  const Table::Key key = match_key(op.peer, rank, op.tag);
  const Waiter waiter = hold(strand, op);
  const auto [at, met] = match(key, false);
  Post& post = posts_[at];
  if (!met) {
    post.receiver = waiter;
    post.order = op.order;
    post.combine = op.combine;
    return;
  }
  const Index id = post.message;
  posts_.remove(at);
  Message& m = messages_[id];
  m.receiver = waiter;
  m.combine = op.combine;
  m.receive_posted = true;
  if (!m.eager) return depart(id);
  if (m.has_arrived) arrived(id);
}

/// A strand pays the overheads of messages that it sends and receives one after another; the main strand and
/// all requests of a rank share one processor, and so do the channels of a schedule, unless each has its own.
/// Returns when this overhead is paid.
Interpreter::Moment Interpreter::pay(const Message& m, Rank rank, Waiter waiter, Seconds overhead,
                                     Seconds moving) {
  if (!(overhead + moving > Seconds(0))) return {backend_.now(), why_};
  Moment& busy = busy_until(rank, waiter);
  const auto [free, why] = after(busy);
  const Moment paid{free + overhead, log_.add(why, overhead, Cause::overhead, m.from, m.to)};
  const Seconds on_links = std::min(moving, m.wire.occupation(m.bytes));
  busy = {paid.at + moving, log_.add_bytes(paid.why, moving - on_links, on_links, m.wire, m.from, m.to)};
  return paid;
}

/// Pays the sender's overhead. If the message is streamed, the sender is also busy while its bytes leave. A
/// rendezvous message asks its receiver when its turn has come.
void Interpreter::pay_for(Waiter sender, Message& m) {
  if (protocol_.hold == MessageProtocol::Hold::delivery) return;
  if (!m.eager && !(m.wire.overhead > Seconds(0))) return;
  const Moment turn = after(busy_until(m.from.rank, sender));
  const Seconds moving = m.eager && m.wire.streamed ? m.bytes * m.wire.per_byte : Seconds(0);
  const Moment paid = pay(m, m.from.rank, sender, m.wire.overhead, moving);
  const auto [at, why] = m.eager ? paid : turn;
  m.posted = at, m.why = why;
}

/// The cause of a message's departure or arrival. The time of its bytes on an idle network counts as link or
/// software. Of its wait for the port, the part that gaps took counts as software. The rest is queueing: for
/// the link that slowed its bytes, for the port, or for the links that slowed the messages that held the
/// port.
CauseLog::Entry Interpreter::carried(Index id, bool there) {
  if (!options_.explain) return 0;
  Message& m = messages_[id];
  Seconds rest = backend_.now() - m.entered;
  CauseLog::Entry why = m.why;
  const auto part = [&](Seconds time) {
    time = std::min(time, rest);
    rest -= time;
    return time;
  };
  const auto took = [&](Seconds time, Cause cause, LinkId at = no_link) {
    why = log_.add(why, part(time), cause, m.from, m.to, at);
  };
  if (protocol_.hold == MessageProtocol::Hold::delivery)
    took(m.wire.overhead + m.wire.receive_overhead, Cause::overhead);
  if (there) took(m.wire.latency, Cause::latency);
  if (!m.has_left) {
    const Seconds software = part(m.bytes * m.wire.software);
    why = log_.add_bytes(why, software, part(m.wire.occupation(m.bytes)), m.wire, m.from, m.to);
    const Backend::HeldUp held = backend_.held_up(id);
    took(held.slowed, Cause::queue, held.by);
    took(m.wire.gap_share(m.bytes) * held.waited, Cause::overhead);  // those in front are taken to be like it
    why = log_.add_wait(why, part((1 - m.wire.gap_share(m.bytes)) * held.waited), held.behind, m.from, m.to);
  }
  if (rest > 1e-12 * backend_.now()) took(rest, Cause::queue);  // else it is rounding
  if (!there) m.has_left = true, m.entered = backend_.now(), m.why = why;
  return why;
}

Interpreter::Moment& Interpreter::busy_until(Rank rank, Waiter waiter) {
  if (waiter.strand == no_index) return rank_state(fabric_.processor(rank)).busy_until;
  StrandState& s = strands_[waiter.strand];
  if (s.payer != no_index) return busy_until(rank, {s.payer, 0});
  return s.main ? rank_state(fabric_.processor(rank)).busy_until : s.busy_until;
}

/// Sends a message that may leave: first its handshake and its overhead.
inline void Interpreter::depart(Index id) {
  Message& m = messages_[id];
  if (protocol_.hold == MessageProtocol::Hold::delivery) return m.why = why_, enter(id);
  Seconds delay = m.posted - backend_.now();
  if (!m.eager) {
    const Seconds shake = m.wire.handshake + m.wire.overhead;
    m.why = log_.add(delay > Seconds(0) ? m.why : why_, shake, Cause::overhead, m.from, m.to);
    delay = std::max(delay, Seconds(0)) + shake;
  }
  if (delay > Seconds(0))
    backend_.after(delay, {Event::Kind::injected, id});
  else
    enter(id);
}

void Interpreter::enter(Index id) {
  Message& m = messages_[id];
  m.posted = m.entered = backend_.now();
  entering_.push_back({m.order, id});
  if (!m.holds_sender()) sent(id);
}

/// When the sender's software is through with its earlier messages, and this one has its turn.
inline Seconds Interpreter::turn(const Message& m) {
  if (protocol_.hold == MessageProtocol::Hold::delivery || m.wire.out_queue == Wire::as_port) return m.posted;
  Seconds& through = through_[m.wire.out_queue];
  const bool alone = m.group == no_index;  // the copies of a multicast go together
  const Seconds free = alone ? through : groups_[m.group].through.at(m.wire.out_queue, through);
  const Seconds turn = std::max(m.posted, free);
  const Seconds busy = m.wire.streamed ? m.wire.occupation(m.bytes) : m.bytes * m.wire.per_byte;
  through = std::max(through, turn + m.wire.gap + busy);
  return turn;
}

/// Hands messages that reached their ports at this instant to the backend, in the order of the program.
void Interpreter::flush() {
  put_in_order(entering_);
  for (const auto [order, id] : entering_) {
    Message& m = messages_[id];
    const Seconds waits = turn(m) - backend_.now();
    if (!(waits > Seconds(0))) {
      admitted_.push_back({order, id});
      continue;
    }
    backend_.after(waits, {Event::Kind::admitted, id});
    if (!options_.explain) continue;
    m.why = log_.add_turn(m.why, waits, m.wire, m.bytes, m.from, m.to);
    m.entered += waits;
  }
  entering_.clear();
  put_in_order(admitted_);
  for (const auto [order, id] : admitted_) {
    Message& m = messages_[id];
    if (m.group != no_index) {
      std::vector<Port>& ports = groups_[m.group].ports;
      m.first_of_group = ports.empty();
      m.first_at_port = std::ranges::find(ports, m.wire.out) == ports.end();
      if (m.first_at_port) ports.push_back(m.wire.out);
    }
    backend_.send(id);
  }
  admitted_.clear();
}

/// Lets the sender of the message go on.
void Interpreter::sent(Index id) {
  const Message& m = messages_[id];
  const Rank rank = m.from.rank;
  if (m.group == no_index) {
    report(rank, m.sender, Op::Kind::send, m.tag, m.to.rank, m.bytes);
    return complete(rank, m.sender);
  }
  Group& group = groups_[m.group];
  if (--group.unsent > 0) return;
  report(rank, group.sender, Op::Kind::multicast, group.tag);
  complete(rank, group.sender);
}

void Interpreter::arrived(Index id) {
  Message& m = messages_[id];
  m.has_arrived = true;
  if (protocol_.hold == MessageProtocol::Hold::delivery) {
    sent(id);
    return delivered(id);
  }
  if (!m.receive_posted) return;
  m.why = why_;
  if (!(m.wire.receive_overhead > Seconds(0))) return delivered(id);
  if (m.merged) {
    m.why = log_.add(why_, m.wire.receive_overhead, Cause::overhead, m.from, m.to);
    backend_.after(m.wire.receive_overhead, {Event::Kind::received, id});
    return;
  }
  taking_.push_back({m.order, id});
}

/// Receivers take the messages that arrived at this instant, in the order of the program.
void Interpreter::take() {
  put_in_order(taking_);
  for (const auto [order, id] : taking_) {
    Message& m = messages_[id];
    why_ = m.why;
    const auto [done, why] = pay(m, m.to.rank, m.receiver, m.wire.receive_overhead);
    m.why = why;
    backend_.after(done - backend_.now(), {Event::Kind::received, id});
  }
  taking_.clear();
}

/// A rank's reductions are done one after another.
void Interpreter::delivered(Index id) {
  Message& m = messages_[id];
  if (m.combine == Combine::copy) return received(id);
  const Seconds work = m.bytes * fabric_.gamma(m.to);
  Moment& reduced = rank_state(fabric_.processor(m.to.rank)).reduced;
  const auto [free, why] = after(reduced);
  reduced = {free + work, log_.add(why, work, Cause::reduction, m.from, m.to)};
  m.why = reduced.why;
  if (reduced.at > backend_.now())
    backend_.after(reduced.at - backend_.now(), {Event::Kind::reduced, id});
  else
    received(id);
}

void Interpreter::received(Index id) {
  const Message& m = messages_[id];
  const bool copy = m.from.rank == m.to.rank && m.sender.strand == no_index && m.sender.request == 0;
  report(m.to.rank, m.receiver, copy ? Op::Kind::copy : Op::Kind::receive, m.tag, m.from.rank, m.bytes);
  if (options_.observer) tell_delivery(id);
  complete(m.to.rank, m.receiver);
  if (m.group != no_index && --groups_[m.group].under_way == 0) groups_.remove(m.group);
  messages_.remove(id);
}

void Interpreter::tell_delivery(Index id) {
  const Message& m = messages_[id];
  const bool held = protocol_.hold == MessageProtocol::Hold::delivery;
  const auto [left, arrived] = backend_.way(id);
  const Seconds first = left + m.wire.latency + (held ? m.wire.overhead : Seconds(0));
  options_.observer->delivered(
      {m.from, m.to, m.bytes, m.combine, m.posted, left, first, arrived, backend_.now(), m.order});
}

/// Takes the first post of the other end from the queue of unmatched posts; the caller removes it. If there
/// is none, adds a new post to this queue, to be filled in place: a copy would have to wait for the stores.
inline Interpreter::Match Interpreter::match(Table::Key key, bool send) {
  Table::Entry& queue = unmatched_.find_or_insert(key, no_index, no_index);
  const Index first = queue.first;
  if (first != no_index && posts_[first].is_send != send) {
    queue.first = posts_[first].next;
    if (queue.first == no_index) unmatched_.erase(&queue);
    return {first, true};
  }
  const Index last = posts_.add();
  (first == no_index ? queue.first : posts_[queue.second].next) = last;
  queue.second = last;
  posts_[last].is_send = send;
  posts_[last].next = no_index;
  return {last, false};
}

void Interpreter::no_such_peer(Rank rank, Rank peer) const {
  throw InputError("rank " + std::to_string(rank) + " names rank " + std::to_string(peer) +
                   " as its peer; there are ranks 0 to " + std::to_string(size_ - 1));
}

}  // namespace collcast
