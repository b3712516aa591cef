// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/clocks.hpp"
#include "model/last_senders.hpp"
#include "model/layout.hpp"
#include "model/network.hpp"
#include "model/path_legs.hpp"
#include "model/path_result.hpp"
#include "model/path_slots.hpp"
#include "model/path_state.hpp"
#include "model/period_follower.hpp"
#include "support/interrupt.hpp"

// The critical path of a schedule: when the last rank is done, by LogGP's rules (docs/time-model.md), on a
// network that is shared only at its ports.
//
// 1. Steps are read in order, and their messages in the order of the schedule, in which ports serve them. A
//    message starts from what earlier steps left: its sender's time, its ports', and, in a rendezvous, its
//    receiver's (`send`).
// 2. Messages that have arrived are received and reduced in the order of their arrival (`finish`). Only then
//    do the ranks move on to the next step.
// 3. Where steps repeat, one period is read and the periods like it are extrapolated (period_follower.hpp).
//    Where all ranks do the same, one is read for all (representative.hpp). Both are exact.
//
// Between two steps nothing is kept but a PathState, so memory is O(ranks) whatever the number of messages.

namespace collcast {

/// One reading of a schedule. `Clock` determines what is kept with each time (clocks.hpp, origins.hpp).
template <AnyNetwork Network, class Clock = PlainClock>
class CriticalPath {
  using Time = typename Clock::Time;

 public:
  /// Every rank begins its first step, computes until `away` without attending to messages, and then goes on.
  /// Reading stops once a message is sure to arrive after `limit`; the time is then a lower bound of the real
  /// one, beyond `limit`.
  CriticalPath(const Schedule& schedule, const Layout& layout, const Network& network, Seconds away = {},
               Seconds limit = no_limit, Clock clock = {})
      : schedule_(schedule),
        layout_(layout),
        network_(network),
        clock_(std::move(clock)),
        away_(clock_.later(Time{}, away, Cause::compute, {}, {})),
        limit_(limit),
        protocol_(network.protocol()),
        slots_(schedule, network),
        ranks_(slots_.ranks()),
        one_pays_(schedule.channels > 1 ? !protocol_.channels_pay : slots_.own_processors()),
        last_senders_(protocol_.other_senders ? ranks_ : 0),
        state_(ranks_, static_cast<std::size_t>(schedule.channels), network.ports(), network.queues() + 1) {}

  /// `entered`: when each rank begins; empty: all at 0. `last`: the last senders before this schedule; run()
  /// updates them for the next one.
  PathResult run(const std::vector<Seconds>& entered = {}, LastSenders* last = nullptr) {
    if (last && protocol_.other_senders) last_senders_ = *last;
    for (std::size_t i = 0; !entered.empty() && i < state_.ready.size(); ++i)
      state_.ready[i] = Clock::time(entered[i % ranks_]);
    read_steps();
    if (last && protocol_.other_senders) *last = last_senders_;
    PathResult result{{},
                      std::vector<Seconds>(ranks_),
                      std::move(state_.busy),
                      *std::max_element(state_.reduced.begin(), state_.reduced.end())};
    for (std::size_t i = 0; i < state_.ready.size(); ++i)
      result.finish[i % ranks_] = std::max(result.finish[i % ranks_], Clock::at(state_.ready[i]));
    result.time = std::max(beyond_limit() ? std::max(least_, state_.arrived) : Seconds(),
                           *std::max_element(result.finish.begin(), result.finish.end()));
    // If messages did not queue at a shared port, the time is at least as long as the port was busy.
    if (state_.unqueued)
      for (const Seconds busy : result.busy) result.time = std::max(result.time, busy);
    if (one_pays_) result.paying = *std::max_element(state_.paid.begin(), state_.paid.end());
    // If a processor pays for several channels, the time is at least as long as it paid.
    if (schedule_.channels > 1) result.time = std::max(result.time, result.paying);
    return result;
  }

  /// The same, and notes the legs of the reading.
  PathResult run(Legs& legs) {
    legs_ = &legs;
    return run();
  }
  /// After a reading: the number of the last rank's time in its state.
  std::uint32_t last() const {
    return 1 + static_cast<std::uint32_t>(std::ranges::max_element(state_.ready) - state_.ready.begin());
  }

  /// Reads a leg of a reading again. False if it has too many delays.
  bool read(const Leg& leg) requires std::is_same_v<Clock, TracedClock> {
    number_times(leg.before, state_);
    last_senders_ = leg.last_senders;
    Step step(!layout_.equal_blocks());
    for (std::int64_t i = 0; i < leg.steps; ++i) read(step, leg.first + i);
    return clock_.log().complete();
  }
  /// Adds the delays that led to a time of the leg's end, the last first. Returns the number of the time from
  /// which they led; 0: from the start of the schedule.
  std::uint32_t trace(std::uint32_t number,
                      std::vector<Delay>& chain) const requires std::is_same_v<Clock, TracedClock> {
    const CauseLog::Entry why = state_[number].why;
    const std::vector<Delay> delays = clock_.log().chain(why);
    chain.insert(chain.end(), delays.begin(), delays.end());
    return clock_.log().origin(why);
  }

 private:
  /// A second reading, which traces where times come from, and the follower that extrapolates from it.
  struct Tracer {
    explicit Tracer(const CriticalPath& p)
        : path(p.schedule_, p.layout_, p.network_, Clock::at(p.away_), p.limit_) {}
    CriticalPath<Network, OriginClock> path;
    PeriodFollower follower;
  };

  /// Reads every step. If the clock keeps only times, periods of repeating steps are followed instead.
  void read_steps() {
    Step step(!layout_.equal_blocks());
    step.transfers.reserve(ranks_);
    FollowPlan plan(schedule_, layout_.equal_blocks(), state_.count());
    std::optional<Tracer> tracer;
    for (std::int64_t s = 0; s < schedule_.steps && !beyond_limit();) {
      if constexpr (std::is_same_v<Time, Seconds>) {
        if (plan.due(s)) {
          if (!tracer) tracer.emplace(*this);
          const std::int64_t steps = plan.periods() * plan.repeat().period;
          if (legs_) legs_->begin(s, state_, last_senders_);
          const std::int64_t next = follow(*tracer, s, steps, plan.repeat().last, step);
          if (legs_) legs_->repeat(steps, (next - s) / steps);
          s = next;
          continue;
        }
        if (legs_ && legs_->due()) legs_->begin(s, state_, last_senders_);
      }
      read(step, s++);
      if (legs_) legs_->add(step);
    }
  }

  void read(Step& step, std::int64_t s) {
    end_if_interrupted();
    step.clear();
    schedule_.rule(s, step);
    advance(step);
  }

  /// Follows a period of `steps` steps from `s` on, skips the periods that repeat it, and returns the step to
  /// read next. `last`: the end of the repeat.
  std::int64_t follow(Tracer& tracer, std::int64_t s, std::int64_t steps, std::int64_t last, Step& step) {
    tracer.follower.begin(state_, tracer.path.state_);
    tracer.path.last_senders_ = last_senders_;
    for (std::int64_t i = 0; i < steps && !tracer.path.beyond_limit(); ++i) tracer.path.read(step, s++);
    last_senders_ = tracer.path.last_senders_;
    // No period repeats one that was cut short.
    const std::int64_t left = tracer.path.beyond_limit() ? 0 : (last - s) / steps;
    const auto skipped = tracer.follower.end(state_, tracer.path.state_, left);
    least_ = std::max(least_, skipped.least);
    return s + skipped.periods * steps;
  }

  /// The cost of a message, looked up ahead, with the indices of its ends in `ready` and of its queues in
  /// `free`.
  struct Priced {
    Switched cost;
    std::size_t sender, receiver, out, in;
  };

  /// A message that has been sent.
  struct Sent {
    Time sender;       ///< when its sender goes on
    Time arrived;      ///< when its last byte is there
    Seconds overhead;  ///< of its receiver; still to be paid
    Bytes bytes;
    std::size_t from, to;  ///< indices of its ends in `ready`
  };

  /// A copy of a multicast whose receiver has an overhead to pay.
  struct Copy {
    std::size_t processor;  ///< index in `taken` of the processor that pays
    Place from, to;
    Sent sent;
  };

  /// Sends all messages of a step from what earlier steps left; then its ranks move on.
  void advance(const Step& step) {
    for (const Step::Join& join : step.joins) join_channels(join);
    const std::size_t messages = step.transfers.size();
    if (sent_.size() < messages) sent_.resize(messages);
    bool in_order = true;
    Seconds last;
    for (std::size_t first = 0; first < messages; first += coming_.size()) {
      const std::size_t end = look_ahead(step, first);
      for (std::size_t i = first; i < end; ++i) {
        const Transfer& t = step.transfers[i];
        Sent& sent = sent_[i];
        transfer(t, coming_[i - first], sent);
        Time& latest = state_.latest[slots_.processor(sent.to, t.to.rank, t.channel)];
        in_order = in_order && latest <= sent.arrived;
        latest = sent.arrived;
        last = std::max(last, Clock::at(latest));
      }
      if (last > limit_) break;
    }
    state_.arrived = last;
    if (beyond_limit()) return;
    const bool in_network = !step.multicasts.empty() || !step.reductions.empty();
    if (in_network) landed_ = state_.ready;
    copies_.clear();
    const bool one_each = step.multicasts.size() == 1 && slots_.own_processors();
    step.for_each_switched(
        [&](const Multicast& m) {
          if (!beyond_limit()) multicast(m, one_each);
        },
        [&](const Reduction& m) {
          if (!beyond_limit()) reduce_in_network(m);
        });
    std::ranges::stable_sort(copies_,
                             [](const Copy& a, const Copy& b) { return a.sent.arrived < b.sent.arrived; });
    for (const Copy& c : copies_) land(c.sent.to, taken(c.processor, c.sent, c.from, c.to));
    if (in_order)
      for (std::size_t i = 0; i < messages; ++i) finish(step.transfers[i], sent_[i]);
    else
      for (const std::size_t i : by_arrival(messages)) finish(step.transfers[i], sent_[i]);
    if (in_network)
      for (std::size_t i = 0; i < state_.ready.size(); ++i) at_least(state_.ready[i], landed_[i]);
  }

  /// Prices the transfers from `first` on and prefetches the state of their ports: with many ranks these
  /// cache misses take longer than everything else. Returns the first one that is not priced.
  std::size_t look_ahead(const Step& step, std::size_t first) {
    const std::size_t end = std::min(first + coming_.size(), step.transfers.size());
    for (std::size_t i = first; i < end; ++i) {
      const Transfer& t = step.transfers[i];
      Priced& c = coming_[i - first];
      const Bytes bytes = layout_.size(step, t);
      static_assert(std::is_trivially_destructible_v<Priced>);
      new (&c) Priced(priced(
          [&] {
            return Switched{network_.wire(t.from, t.to, bytes), bytes};
          },
          t.from.rank, t.to.rank, t.channel));
      Wire& wire = c.cost.wire;
      if (protocol_.other_senders && last_senders_.change(t)) wire.overhead += wire.other_sender;
      __builtin_prefetch(&state_.free[c.out], 1), __builtin_prefetch(&state_.free[c.in], 1);
      __builtin_prefetch(&state_.busy[wire.out], 1), __builtin_prefetch(&state_.busy[wire.in], 1);
    }
    return end;
  }

  /// Built in place, as `sent` is below: a copy would have to wait for the stores.
  template <class Cost>
  Priced priced(Cost&& cost, Rank from, Rank to, std::uint16_t channel) const {
    Priced m{cost(), slots_.rank(channel, from), slots_.rank(channel, to), 0, 0};
    m.out = slots_.queue(m.cost.wire.out_queue, m.cost.wire.out);
    m.in = slots_.queue(m.cost.wire.in_queue, m.cost.wire.in);
    return m;
  }
  Priced priced(Switching how, Place from, Place to, std::uint16_t channel, Bytes bytes) const {
    return priced([&] { return switched(network_, how, from, to, bytes); }, from.rank, to.rank, channel);
  }

  void transfer(const Transfer& t, const Priced& message, Sent& sent) {
    const Wire& wire = message.cost.wire;
    const Time from = state_.ready[message.sender];
    if (!pays(wire)) return send(message, from, t.from, t.to, sent);
    if (one_pays_) state_.paid[slots_.processor(t.from.rank)] += wire.overhead;
    Time& posted = state_.posted[slots_.processor(message.sender, t.from.rank, t.channel)];
    const Time begin = std::max(from, posted);
    send(message, begin, t.from, t.to, sent);
    posted = paid(wire, begin, sent, t.from, t.to);
  }

  /// Whether each message keeps the sender's processor busy, so that the messages of a step go one after
  /// another.
  bool pays(const Wire& wire) const {
    return protocol_.hold == MessageProtocol::Hold::injection &&
           (wire.overhead > Seconds(0) || (wire.eager && wire.streamed));
  }
  /// When the sender's processor gets to the message.
  Time turn(const Wire& wire, Time ready, Time posted) const {
    return pays(wire) ? std::max(ready, posted) : ready;
  }
  Time paid(const Wire& wire, Time turn, const Sent& sent, Place from, Place to) {
    return wire.eager ? sent.sender : clock_.later(turn, wire.overhead, Cause::overhead, from, to);
  }

  /// Pays the receiver's overhead, reduces the message, and moves both ranks on. Called in order of arrival.
  void finish(const Transfer& t, const Sent& sent) {
    Time when = taken(slots_.processor(sent.to, t.to.rank, t.channel), sent, t.from, t.to);
    if (t.combine == Combine::reduce) {
      const Seconds work = sent.bytes * network_.gamma(t.to);
      const std::size_t r = slots_.processor(t.to.rank);
      state_.reduced[r] += work;
      when = state_.reducing[r] = clock_.later(std::max(std::max(state_.reducing[r], away_), when), work,
                                               Cause::reduction, t.from, t.to);
    }
    at_least(state_.ready[sent.from], std::max(sent.sender, away_));
    at_least(state_.ready[sent.to], std::max(when, away_));
  }

  /// When the receiver's overhead is paid: after the overheads of what it sent and of what arrived before.
  Time taken(std::size_t by, const Sent& sent, Place from, Place to) {
    if (!(sent.overhead > Seconds(0))) return sent.arrived;
    if (one_pays_) state_.paid[by % ranks_] += sent.overhead;
    const Time free = std::max(std::max(state_.taken[by], state_.posted[by]), sent.arrived);
    return state_.taken[by] = clock_.later(free, sent.overhead, Cause::overhead, from, to);
  }

  std::span<const std::size_t> by_arrival(std::size_t messages) {
    arrivals_.resize(messages);
    std::iota(arrivals_.begin(), arrivals_.end(), std::size_t{0});
    std::ranges::stable_sort(
        arrivals_, [this](std::size_t a, std::size_t b) { return sent_[a].arrived < sent_[b].arrived; });
    return arrivals_;
  }

  /// Inlining saves a fifth of a ring's time.
  [[gnu::always_inline]] inline void send(const Priced& message, Time sender, Place from, Place to,
                                          Sent& sent) {
    const Wire& wire = message.cost.wire;
    const Bytes bytes = message.cost.bytes;
    const Time receiver = state_.ready[message.receiver];
    Time &out = state_.free[message.out], &in = state_.free[message.in];
    if (wire.in_queue == Wire::nowhere) in = Clock::time(-no_limit), state_.unqueued = true;
    if (protocol_.hold == MessageProtocol::Hold::delivery) {
      const Time both = std::max(sender, receiver);
      const Time start = clock_.wait(both, std::max(out, in), Cause::queue, from, to);
      const Seconds held = wire.overhead + wire.latency + bytes * wire.per_byte + wire.receive_overhead;
      occupy(wire, held, held);
      out = in = clock_.hold(start, held, wire, bytes, from, to);
      sent = {out, out, {}, bytes, message.sender, message.receiver};
      return;
    }
    const Time go = wire.eager ? sender
                               : clock_.later(std::max(std::max(sender, receiver), away_), wire.handshake,
                                              Cause::overhead, from, to);
    const Time paid = clock_.later(go, wire.overhead, Cause::overhead, from, to);
    const Time leaves = clock_.queue(paid, out, wire, bytes, from, to);
    const Time left = clock_.carry(leaves, wire, bytes, from, to);
    const Seconds occupied = wire.occupation(bytes), occupied_in = wire.occupation_in(bytes);
    const Seconds pause = wire.next == Wire::Next::at_once ? Seconds(0) : wire.gap;
    occupy(wire, pause + wire.occupation_out(bytes), occupied_in);
    const Time next = clock_.later(leaves, wire.gap, Cause::overhead, from, to);
    out = wire.streamed ? clock_.later(next, occupied, Cause::link, from, to)
                        : clock_.carry(next, wire, bytes, from, to);
    const Time there = clock_.later(leaves, wire.latency, Cause::latency, from, to);
    const Time first = clock_.wait(there, in, Cause::queue, from, to);
    Time arrived = clock_.carry(there, wire, bytes, from, to);
    in = clock_.later(first, occupied_in, Cause::link, from, to);
    arrived = std::max(arrived, in);
    sent = {wire.eager && !wire.streamed ? paid : left,
            std::max(arrived, receiver),
            wire.receive_overhead,
            bytes,
            message.sender,
            message.receiver};
  }

  /// One copy leaves each port of the sender and one arrives at each receiver's port. Processors pay for
  /// copies in the order of arrival. `one_each`: each processor gets one copy, so that the order does not
  /// matter.
  void multicast(const Multicast& m, bool one_each) {
    const Bytes bytes = layout_.size(m.chunk);
    const std::size_t from = slots_.rank(m.channel, m.from.rank);
    Time& posted = state_.posted[slots_.processor(from, m.from.rank, m.channel)];
    Time left = state_.ready[from], all_paid = posted;
    passed_.clear();
    reached_.resize(state_.busy.size());
    ++multicasts_;
    for (Rank i = 0; i < m.to.count; ++i) {
      const Rank to = m.to[i];
      if (to == m.from.rank) continue;
      const Priced message = priced(Switching::multicast, m.from, {to, m.memory}, m.channel, bytes);
      const Wire& wire = message.cost.wire;
      Passed& out = passed(wire.out, message.out);
      const Seconds in_busy = state_.busy[wire.in];
      const Time begin = turn(wire, state_.ready[from], posted);
      Sent sent;
      send(message, begin, m.from, {to, m.memory}, sent);
      if (std::exchange(reached_[wire.in], multicasts_) == multicasts_)
        state_.busy[wire.in] = in_busy;  // the same copy arrived for another rank behind this port
      state_.free[message.out] = out.last = std::max(out.last, state_.free[message.out]);
      left = std::max(left, sent.sender);
      if (pays(wire)) all_paid = std::max(all_paid, paid(wire, begin, sent, m.from, {to, m.memory}));
      const std::size_t payer = slots_.processor(sent.to, to, m.channel);
      if (sent.overhead > Seconds(0) && !one_each)
        copies_.push_back({payer, m.from, {to, m.memory}, sent});
      else
        land(sent.to, taken(payer, sent, m.from, {to, m.memory}));
    }
    posted = all_paid;
    land(from, left);
  }

  /// One message leaves each sender's port. At each port of the receiver they arrive as one message, when the
  /// last of them does.
  void reduce_in_network(const Reduction& m) {
    const Bytes bytes = layout_.size(m.chunk);
    const std::size_t to = slots_.rank(m.channel, m.to.rank);
    Time arrived = state_.ready[to];
    passed_.clear();
    for (Rank i = 0; i < m.from.count; ++i) {
      const Rank from = m.from[i];
      if (from == m.to.rank) continue;
      const Priced message = priced(Switching::reduction, {from, m.memory}, m.to, m.channel, bytes);
      Passed& in = passed(message.cost.wire.in, message.in);
      Sent sent;
      send(message, state_.ready[message.sender], {from, m.memory}, m.to, sent);
      state_.free[message.in] = in.last = std::max(in.last, state_.free[message.in]);
      arrived = std::max(arrived,
                         clock_.later(sent.arrived, sent.overhead, Cause::overhead, {from, m.memory}, m.to));
      land(sent.from, sent.sender);
    }
    land(to, arrived);
  }

  /// The state of a port, before the first of several messages that pass it as one.
  struct Passed {
    Port port;
    Time free, last;  ///< last: when the port is free after the messages so far
    Seconds busy;
  };

  /// Sets the port and its queue back to how the first of the messages found them.
  Passed& passed(Port port, std::size_t queue) {
    const auto before = std::ranges::find(passed_, port, &Passed::port);
    if (before == passed_.end())
      return passed_.emplace_back(Passed{port, state_.free[queue], state_.free[queue], state_.busy[port]});
    state_.free[queue] = before->free;
    state_.busy[port] = before->busy;
    return *before;
  }

  void land(std::size_t where, Time when) {
    at_least(landed_[where], std::max(when, away_));
    state_.arrived = std::max(state_.arrived, Clock::at(when));
  }
  bool beyond_limit() const { return std::max(state_.arrived, least_) > limit_; }

  void join_channels(Step::Join join) {
    const bool all = join.rank == Step::Join::everyone;
    const std::size_t begin = all ? 0 : static_cast<std::size_t>(join.rank), end = all ? ranks_ : begin + 1;
    for (std::size_t r = begin; r < end; ++r) {
      Time last = Clock::time(-no_limit);
      for (std::size_t c = join.first; c < join.last; ++c)
        last = std::max(last, state_.ready[c * ranks_ + r]);
      for (std::size_t c = join.first; c < join.last; ++c) state_.ready[c * ranks_ + r] = last;
    }
  }

  void occupy(const Wire& wire, Seconds out, Seconds in) {
    state_.busy[wire.out] += out;
    state_.busy[wire.in] += in;
  }
  static void at_least(Time& slot, Time value) { slot = std::max(slot, value); }

  template <AnyNetwork, class>
  friend class CriticalPath;

  const Schedule& schedule_;
  const Layout& layout_;
  const Network& network_;
  Clock clock_;
  Time away_;
  const Seconds limit_;
  const MessageProtocol protocol_;
  const PathSlots slots_;
  const std::size_t ranks_;
  const bool one_pays_;       ///< a processor pays for one message after the other
  LastSenders last_senders_;  ///< none where no wire asks for them
  PathState<Time> state_;
  Seconds least_;  ///< a lower bound of the time, from extrapolated periods
  Legs* legs_ = nullptr;
  std::array<Priced, 16> coming_;  ///< the next transfers of this step
  std::vector<Sent> sent_;         ///< by transfer of this step
  std::vector<std::size_t> arrivals_;
  std::vector<Copy> copies_;           ///< of this step
  std::vector<Passed> passed_;         ///< by this multicast, or this reduction
  std::vector<std::int64_t> reached_;  ///< by port: the last multicast that arrived there
  std::int64_t multicasts_ = 0;        ///< so far
  std::vector<Time> landed_;           ///< `ready` after this step's multicasts and reductions
};

}  // namespace collcast
