// SPDX-License-Identifier: Apache-2.0
#include "engines/player/contended.hpp"

#include <algorithm>
#include <limits>

#include "engines/player/pool.hpp"
#include "support/interrupt.hpp"

namespace collcast {
namespace {

constexpr BytesPerSecond unlimited(std::numeric_limits<double>::infinity());
constexpr auto may_flow = Event::Kind::network_a;  // a message's bytes may start to flow
constexpr auto gap_over = Event::Kind::network_b;  // the gap of a port is over

}  // namespace

// Functions that every message passes through are inline: a call would take as long as its work.

Contended::Contended(const Fabric& fabric, Flows& flows)
    : fabric_(fabric),
      links_(fabric.links()),
      to_delivery_(fabric.protocol().hold == MessageProtocol::Hold::delivery),
      flows_(flows),
      ports_(fabric.ports()),
      use_(fabric.ports()),
      bytes_(links_.size()) {}

void Contended::send(Index id) {
  const Message& m = message(id);
  const Port port = queue_of(m);
  grown_at(carried_, id) = {port};
  if (log_) grown_at(delays_, id) = {now_, {}};
  enqueue(port, id);
  if (to_delivery_ && m.wire.in != m.wire.out) enqueue(m.wire.in, id);
  serve(port);
}

/// The port where the message leaves, or the queue of its connection there.
inline Port Contended::queue_of(const Message& message) {
  if (message.wire.next != Wire::Next::at_once || to_delivery_) return message.wire.out;
  const auto [at, first] = connections_.try_emplace({message.from.rank, message.to.rank, message.tag});
  if (first) {
    at->second = static_cast<Port>(ports_.size());
    ports_.emplace_back();
  }
  return at->second;
}

inline void Contended::enqueue(Port port, Index id) {
  Queue& queue = ports_[port].queue;
  if (queue.first == no_index)
    queue.first = id;
  else
    behind(port, queue.last) = id;
  queue.last = id;
}

/// Starts messages from the head of a port's queue, as long as they can start.
void Contended::serve(Port out) {
  PortState& sender = ports_[out];
  while (sender.queue.first != no_index) {
    const Index id = sender.queue.first;
    const Message& m = message(id);
    if (carried_[id].port != out) return serve(carried_[id].port);  // `out` is its port of arrival
    if (!may_leave(sender, m)) return;
    const Port in = m.wire.in;
    const bool merged = m.merged != 0;
    if (to_delivery_ && in != out) {
      PortState& receiver = ports_[in];
      if (receiver.queue.first != id || !may_arrive(receiver, m)) return;
      receiver.queue.first = behind(in, id);
      take(in, no_index, merged ? std::optional(Merge(m)) : std::nullopt);
    }
    sender.queue.first = behind(out, id);
    take(out, m.group);
    begin(id);
    if (to_delivery_ && merged) serve(in);  // the next one may be merged with it
  }
}

bool Contended::may_leave(const PortState& port, const Message& message) const {
  return port.holders == 0 || (message.group != no_index && message.group == port.group);
}

bool Contended::may_arrive(const PortState& port, const Message& message) const {
  return port.holders == 0 || (message.merged && port.merge == Merge(message));
}

inline void Contended::take(Port port, Index group, std::optional<Merge> merge) {
  PortState& state = ports_[port];
  if (state.holders++ > 0) return;
  state.group = group;
  state.merge = merge;
  state.since = now_;
}

inline void Contended::release(Port port) {
  PortState& state = ports_[port];
  if (--state.holders > 0) return;
  if (port < use_.size()) use_[port].busy += now_ - state.since;
  if (log_ && !to_delivery_) held(port);
  if (state.queue.first != no_index) serve(port);
}

inline void Contended::begin(Index id) {
  const Wire& wire = message(id).wire;
  leaves(id, now_);
  if (log_) waited(id);
  const Seconds first = to_delivery_ ? wire.overhead + wire.latency + wire.receive_overhead : Seconds(0);
  if (first > Seconds(0))
    after(first, {may_flow, id});
  else
    flow(id);
}

inline void Contended::flow(Index id) {
  const Message& m = message(id);
  if (log_) delays_[id].since = now_;
  if (leaves_early(m.wire)) after(m.wire.occupation_out(m.bytes) + m.wire.gap, {gap_over, carried_[id].port});
  if (carried_[id].port != m.wire.out) use_[m.wire.out].busy += m.wire.occupation_out(m.bytes);
  if (m.group == no_index || m.first_at_port) use_[m.wire.out].bytes += m.bytes;
  if (!m.merged || !confluences_.contains(Merge(m))) {
    use_[m.wire.in].bytes += m.bytes;
    if (!to_delivery_) use_[m.wire.in].busy += m.wire.occupation_in(m.bytes);
  }
  if (m.group == no_index)
    return start(id, route(m), m.wire.framing * m.bytes, m.wire.per_byte / m.wire.framing);
  setting_off_.push_back(id);
}

/// Starts a flow. It gets a cap if it is by itself slower than its links. An empty message uses no link.
inline void Contended::start(Index id, std::span<const LinkId> route, Bytes bytes, SecondsPerByte per_byte) {
  BytesPerSecond narrowest = unlimited;
  for (const LinkId link : route) {
    narrowest = std::min(narrowest, links_[link].bandwidth);
    bytes_[link] += bytes;
  }
  if (observer_) grown_at(flowing_, id) = {{route.begin(), route.end()}, bytes, now_};
  const BytesPerSecond own = per_byte > SecondsPerByte(0) ? 1.0 / per_byte : unlimited;
  const bool held_back = own.value < narrowest.value * (1 - 1e-9);  // not by rounding alone
  if (bytes > Bytes(0))
    flows_.start(id, route, bytes, held_back ? own : unlimited);
  else
    flows_.start(id, {}, bytes, own);
}

/// Starts the copies of multicasts. Those that leave at the same time are one flow over the union of their
/// links, at the rate of the slowest copy.
void Contended::start_multicasts() {
  const auto group = [this](Index id) { return message(id).group; };
  std::ranges::stable_sort(setting_off_, {}, group);
  for (auto first = setting_off_.begin(); first != setting_off_.end();) {
    const auto end =
        std::find_if(first, setting_off_.end(), [&](Index id) { return group(id) != group(*first); });
    std::vector<LinkId> all;
    SecondsPerByte slowest;
    Bytes most;
    for (auto copy = first; copy != end; ++copy) {
      const Message& m = message(*copy);
      const auto own = route(m);
      all.insert(all.end(), own.begin(), own.end());
      slowest = std::max(slowest, m.wire.per_byte / m.wire.framing);
      most = std::max(most, m.wire.framing * m.bytes);
      carried_[*copy].with = copy + 1 == end ? no_index : copy[1];
    }
    start(*first, all, most, slowest);
    first = end;
  }
  setting_off_.clear();
}

/// The message's route. A copy of a multicast uses only links that no earlier copy uses; the same holds for
/// messages that the network reduces to one.
inline std::span<const LinkId> Contended::route(const Message& message) {
  route_.clear();
  fabric_.route(message.from, message.to, route_);
  if (message.group != no_index) {
    std::vector<LinkId>& taken = grown_at(branches_, message.group);
    if (message.first_of_group) taken.clear();
    keep_new(taken);
  }
  if (message.merged) {
    const auto [at, first] = confluences_.try_emplace(Merge(message), Confluence{message.merged, {}});
    keep_new(at->second.taken);
    if (--at->second.missing == 0) confluences_.erase(at);
  }
  return route_;
}

/// Removes links that are already taken from the route, and marks the others as taken.
void Contended::keep_new(std::vector<LinkId>& taken) {
  std::erase_if(route_, [&](LinkId l) { return std::ranges::find(taken, l) != taken.end(); });
  taken.insert(taken.end(), route_.begin(), route_.end());
}

void Contended::tell_use(Index id) {
  Flowing& flow = grown_at(flowing_, id);
  for (const LinkId link : flow.route)
    observer_->used({true, link, flow.bytes, flow.since, now_, flow.bytes / links_[link].bandwidth});
  flow.route.clear();
}

/// Notes how long a message waited, now that its turn has come. If ports are held until delivery, this is not
/// noted: it may have waited for either of two ports.
void Contended::waited(Index id) {
  if (to_delivery_) return;
  Delayed& d = delays_[id];
  d.so_far.waited = now_ - d.since;
  d.so_far.behind = grown_at(holds_, carried_[id].port).last;
}

/// Notes that a message's bytes took longer than on an idle network because of this link; if so, they held
/// its port longer, too.
void Contended::slowed(Index id, LinkId by) {
  const Message& m = message(id);
  Delayed& d = delays_[id];
  const Seconds took = now_ - d.since, longer = took - m.bytes * m.wire.per_byte;
  if (!(longer > 1e-9 * took)) return;  // not by rounding alone
  d.so_far.slowed = longer, d.so_far.by = by;
  if (leaves_early(m.wire)) return;
  Holds& port = grown_at(holds_, carried_[id].port);
  if (longer > port.slowed) port.slowed = longer, port.by = by;
}

/// Logs what held a port, if messages wait there.
void Contended::held(Port port) {
  const PortState& state = ports_[port];
  Holds& holds = grown_at(holds_, port);
  const bool waiting = state.queue.first != no_index;
  holds = {waiting ? log_->hold(holds.last, now_ - state.since, holds.slowed, holds.by) : 0, {}, no_link};
}

/// The last byte of a flow has passed its links; the flow is one message, or copies of a multicast.
inline void Contended::through(Index flow, Listener& listener) {
  const LinkId by = log_ ? flows_.held_by(flow) : no_link;
  for (Index id = flow, with; id != no_index; id = with) {
    with = carried_[id].with;
    if (by != no_link) slowed(id, by);
    ended(id, listener);
  }
}

/// The last byte of a message has passed its links.
inline void Contended::ended(Index id, Listener& listener) {
  if (observer_) tell_use(id);
  const Message& m = message(id);
  const Wire& wire = m.wire;
  const Port port = carried_[id].port;
  if (to_delivery_) {
    release(port);
    if (wire.in != wire.out) release(wire.in);
    return listener.on({Event::Kind::arrived, id});
  }
  if (leaves_early(wire)) {
    // its port has served others since
  } else if (wire.gap > Seconds(0)) {
    ports_[port].group = no_index;
    after(wire.gap, {gap_over, port});
  } else {
    release(port);
  }
  const Seconds latency = wire.latency;
  if (m.holds_sender()) listener.on({Event::Kind::left, id});
  if (latency > Seconds(0))
    after(latency, {Event::Kind::arrived, id});
  else
    listener.on({Event::Kind::arrived, id});
}

inline void Contended::handle(Event event, Listener& listener) {
  switch (event.kind) {
    case may_flow:
      return flow(event.index);
    case gap_over:
      return release(event.index);
    default:
      return listener.on(event);
  }
}

void Contended::run(Listener& listener) {
  constexpr Seconds never(std::numeric_limits<double>::infinity());
  const auto settle = [&] { listener.settle(), start_multicasts(); };
  for (settle(); flows_.any() || !timers_.empty(); settle()) {
    end_if_interrupted();
    const auto over = flows_.advance(timers_.empty() ? never : timers_.next());
    now_ = flows_.now();
    for (const Index flow : over) through(flow, listener);
    while (!timers_.empty() && timers_.next() <= same_instant(now_)) handle(timers_.pop().event, listener);
  }
}

void Contended::usage(Result& result) const {
  result.ports = use_;
  result.links.reserve(links_.size());
  for (std::size_t i = 0; i < links_.size(); ++i)
    result.links.push_back({bytes_[i], bytes_[i] / links_[i].bandwidth});
}

}  // namespace collcast
