// SPDX-License-Identifier: Apache-2.0
#include "engines/player/analytic.hpp"

#include <algorithm>

#include "engines/player/pool.hpp"

namespace collcast {
namespace {

constexpr auto head_arrives = Event::Kind::network_a;

}  // namespace

Analytic::Analytic(const MessageProtocol& protocol, Port ports)
    : protocol_(protocol), free_(ports), use_(ports), arrivals_(ports) {}

void Analytic::send(Index id) {
  const Message& m = message(id);
  const Seconds out = out_free(m);
  if (protocol_.hold == MessageProtocol::Hold::delivery)
    deliver(id, m, out);
  else
    inject(id, m, out);
}

void Analytic::deliver(Index id, const Message& message, Seconds out) {
  const Wire& wire = message.wire;
  const Seconds start = std::max({message.posted, out, in_free(wire.in, merge_of(message))});
  const Seconds held = wire.overhead + wire.latency + message.bytes * wire.per_byte + wire.receive_overhead;
  free_[wire.out] = std::max(free_[wire.out], start + held);
  free_[wire.in] = std::max(free_[wire.in], start + held);
  occupy(message, held, held);
  leaves(id, start);
  occupied(wire.out, message.bytes, start, held);
  occupied(wire.in, message.bytes, start, held);
  timers_.at(start + held, {Event::Kind::arrived, id});
}

void Analytic::inject(Index id, const Message& message, Seconds out) {
  const Wire& wire = message.wire;
  const Seconds transmission = message.bytes * wire.per_byte;
  const Seconds taken = wire.occupation_out(message.bytes), taken_in = wire.occupation_in(message.bytes);
  const Seconds start = std::max(message.posted, out);
  free_[wire.out] = std::max(free_[wire.out], start + wire.gap + taken);
  occupy(message, wire.gap + taken, taken_in);
  leaves(id, start);
  if (message.group == no_index || message.first_at_port)
    occupied(wire.out, message.bytes, start, wire.gap + taken);
  if (message.holds_sender()) timers_.at(start + transmission, {Event::Kind::left, id});
  timers_.at(start + wire.latency, {head_arrives, id});
}

/// The receiver's port serves messages in the order in which their first bytes arrive.
void Analytic::reach(Index id) {
  const Message& m = message(id);
  const Port port = m.wire.in;
  const std::optional<Merge> merge = merge_of(m);
  const Seconds transmission = m.bytes * m.wire.per_byte, taken = m.wire.occupation_in(m.bytes);
  const bool counts = !merge || arrivals_[port].merge != merge;
  const Seconds in = std::max(now_, in_free(port, merge));
  if (counts) occupied(port, m.bytes, in, taken);
  free_[port] = std::max(free_[port], in + taken);
  timers_.at(std::max(now_ + transmission, in + taken), {Event::Kind::arrived, id});
}

/// When the port is free for this message. Messages that the network reduces to one pass the port together.
Seconds Analytic::in_free(Port in, const std::optional<Merge>& merge) {
  if (!merge) return free_[in];
  Arrival& arrival = arrivals_[in];
  if (arrival.merge != merge) arrival.merge = merge, arrival.free = free_[in];
  return arrival.free;
}

/// When the port is free for this message. The copies of a multicast leave it together.
Seconds Analytic::out_free(const Message& message) {
  const Seconds out = free_[message.wire.out];
  if (message.group == no_index) return out;
  ForFirstCopy& group = grown_at(group_out_, message.group);
  if (message.first_of_group) group.clear();
  return group.at(message.wire.out, out);
}

void Analytic::occupy(const Message& message, Seconds out, Seconds in) {
  if (message.group == no_index || message.first_at_port) {
    Result::Use& sender = use_[message.wire.out];
    sender.busy += out;
    sender.bytes += message.bytes;
  }
  std::optional<Merge>& counted = arrivals_[message.wire.in].counted;
  if (message.merged && counted == merge_of(message)) return;
  counted = merge_of(message);
  Result::Use& receiver = use_[message.wire.in];
  receiver.busy += in;
  receiver.bytes += message.bytes;
}

void Analytic::run(Listener& listener) {
  for (listener.settle(); !timers_.empty(); listener.settle()) {
    const Seconds instant = same_instant(timers_.next());
    while (!timers_.empty() && timers_.next() <= instant) {
      const Timers::Entry entry = timers_.pop();
      now_ = entry.time;
      if (entry.event.kind == head_arrives)
        reach(entry.event.index);
      else
        listener.on(entry.event);
    }
  }
}

}  // namespace collcast
