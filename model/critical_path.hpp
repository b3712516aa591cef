// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/explanation.hpp"
#include "model/folding.hpp"
#include "model/layout.hpp"
#include "model/network.hpp"
#include "model/repeats.hpp"

namespace collcast {

/// How long a schedule takes on a network without contention beyond its ports.
struct PathResult {
  Seconds time;                 ///< when the last rank is done
  std::vector<Seconds> finish;  ///< when each rank is done
  std::vector<Seconds> busy;    ///< how long each port was occupied
  Seconds reducing;             ///< the longest that a rank spent reducing
};

constexpr Seconds no_limit(std::numeric_limits<double>::infinity());

/// Reads a schedule step by step and keeps, per rank, only when it is ready: O(ranks) memory.
///
/// `Network` answers `wire(from, to, bytes)`, `gamma(place)`, `protocol()` and `ports()`. Ports serve
/// messages in the order of the schedule. `Clock`: what is kept of times (model/explanation.hpp).
template <class Network, class Clock = PlainClock>
class CriticalPath {
  using Time = typename Clock::Time;

 public:
  /// Ranks begin their first steps, compute until `away` without looking at messages, and then go on.
  /// Reading stops where a message is later than `limit`, or will be: the time is then some time beyond it.
  CriticalPath(const Schedule& schedule, const Layout& layout, const Network& network, Seconds away = {},
               Seconds limit = no_limit, Clock clock = {})
      : schedule_(schedule),
        layout_(layout),
        network_(network),
        clock_(std::move(clock)),
        away_(clock_.later(Time{}, away, Cause::compute, {}, {})),
        limit_(limit),
        protocol_(network.protocol()),
        ranks_(static_cast<std::size_t>(schedule.ranks)),
        processors_(shared_processors()),
        ready_(ranks_ * static_cast<std::size_t>(schedule.channels)),
        free_(network.queues() + 1),
        busy_(network.ports()),
        reducing_(ranks_),
        reduced_(ranks_),
        posted_(ready_),
        taken_(ready_),
        latest_(ready_) {}

  /// `entered`: when each rank begins; all at 0 without it.
  PathResult run(const std::vector<Seconds>& entered = {}) {
    for (std::size_t i = 0; !entered.empty() && i < ready_.size(); ++i)
      ready_[i] = Clock::time(entered[i % ranks_]);
    read_steps();
    PathResult result{{},
                      std::vector<Seconds>(ranks_),
                      std::move(busy_),
                      *std::max_element(reduced_.begin(), reduced_.end())};
    for (std::size_t i = 0; i < ready_.size(); ++i)
      result.finish[i % ranks_] = std::max(result.finish[i % ranks_], Clock::at(ready_[i]));
    last_ = *std::max_element(ready_.begin(), ready_.end());
    result.time = std::max(beyond_limit() ? least_ : Seconds(),
                           *std::max_element(result.finish.begin(), result.finish.end()));
    // Where messages do not queue at ports that they share, nothing is faster than the busiest of them.
    if (unqueued_)
      for (const Seconds busy : result.busy) result.time = std::max(result.time, busy);
    return result;
  }

  /// What led to the last rank's end, where the clock remembers it; messages that did not queue at a port
  /// which they share are not in it.
  std::vector<Stretch> chain() const { return clock_.chain(last_); }

 private:
  /// Steps that repeat are followed, and not read as long as they go the same way, where times are all that
  /// is asked for.
  void read_steps() {
    Step step(!layout_.equal_blocks());
    step.transfers.reserve(ranks_);
    std::size_t entries = 0;
    for (const auto* v : times()) entries += v->size();
    Folding folding(schedule_, layout_.equal_blocks(), entries);
    std::optional<Follower> follower;
    for (std::int64_t s = 0; s < schedule_.steps && !beyond_limit();) {
      if constexpr (std::is_same_v<Time, Seconds>)
        if (folding.due(s)) {
          if (!follower) follower.emplace(*this);
          s = follow(*follower, s, folding.periods() * folding.repeat().period, folding.repeat().last, step);
          continue;
        }
      read(step, s++);
    }
  }

  void read(Step& step, std::int64_t s) {
    step.clear();
    schedule_.rule(s, step);
    advance(step);
  }

  /// Reads a period with a clock that knows where times come from.
  struct Follower {
    explicit Follower(const CriticalPath& p)
        : path(p.schedule_, p.layout_, p.network_, Clock::at(p.away_), p.limit_) {}
    CriticalPath<Network, OriginClock> path;
    Period seen;
    std::vector<Seconds*> slots;         ///< where its entries' times are kept
    std::vector<std::uint32_t> numbers;  ///< of all that a reading compares, as entries; 0: none
  };

  /// Follows a period of so many steps from `s` on, and passes those that go like it: the step to read next.
  std::int64_t follow(Follower& by, std::int64_t s, std::int64_t steps, std::int64_t last, Step& step) {
    Period& seen = by.seen;
    seen.before.assign(1, {}), seen.after.assign(1, {}), seen.origin.assign(1, 0), seen.races.clear();
    by.path.enter(*this);
    seen.races.reserve(8 * ready_.size());
    OriginClock::races = &seen.races;
    for (std::int64_t i = 0; i < steps; ++i) by.path.read(step, s++);
    OriginClock::races = nullptr;
    complete(by);
    const std::int64_t left = (last - s) / steps;
    const Onward next = onward(seen, left);
    const std::vector<Seconds>& now = next.periods > 0 ? next.after : seen.after;
    for (std::size_t e = 1; e < by.slots.size(); ++e) *by.slots[e] = now[e];
    least_ = std::max(least_, next.least);
    for (std::size_t i = 0; i < busy_.size(); ++i)
      least_ = std::max(least_, by.path.busy_[i] + static_cast<double>(left) * (by.path.busy_[i] - busy_[i]));
    pass(busy_, by.path.busy_, next.periods);
    pass(reduced_, by.path.reduced_, next.periods);
    arrived_ = by.path.arrived_, unqueued_ |= by.path.unqueued_;
    return s + next.periods * steps;
  }

  /// Sums that grow by the same in each period.
  static void pass(std::vector<Seconds>& sums, const std::vector<Seconds>& followed, std::int64_t periods) {
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] = followed[i] + static_cast<double>(periods) * (followed[i] - sums[i]);
  }

  /// Begins where another reading is.
  void enter(CriticalPath<Network, PlainClock>& other) {
    busy_ = other.busy_, reduced_ = other.reduced_;
    std::uint32_t number = 0;
    const auto own = times();
    const auto others = other.times();
    for (std::size_t i = 0; i < own.size(); ++i)
      for (std::size_t j = 0; j < own[i]->size(); ++j) (*own[i])[j] = {(*others[i])[j], ++number};
  }

  /// Adds what came of the times that moved or were compared, and where these are kept.
  void complete(Follower& by) {
    Period& seen = by.seen;
    std::vector<Seconds*>& slots = by.slots;
    slots.assign(1, nullptr);
    const auto before = times();
    const auto followed = by.path.times();
    std::size_t all = 1;
    for (const auto* v : before) all += v->size();
    by.numbers.assign(all, 0);
    slots.reserve(all), seen.before.reserve(all), seen.after.reserve(all), seen.origin.reserve(all);
    const auto number = [&](std::uint32_t n) {
      if (n == 0 || by.numbers[n] != 0) return by.numbers[n];
      by.numbers[n] = static_cast<std::uint32_t>(slots.size());
      std::size_t i = 0, j = n - 1;
      for (; j >= before[i]->size(); ++i) j -= before[i]->size();
      slots.push_back(&(*before[i])[j]);
      const auto& after = (*followed[i])[j];
      seen.before.push_back(*slots.back()), seen.after.push_back(after.at),
          seen.origin.push_back(after.origin);
      return by.numbers[n];
    };
    std::uint32_t n = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (i == 1) seen.ends = static_cast<std::uint32_t>(slots.size() - 1);
      for (std::size_t j = 0; j < before[i]->size(); ++j)
        if (const auto& after = (*followed[i])[j]; after.origin != ++n || after.at != (*before[i])[j])
          number(n);
    }
    for (Race& r : seen.races) r.winner = number(r.winner), r.loser = number(r.loser);
    for (std::size_t e = 0; e < seen.origin.size(); ++e) seen.origin[e] = number(seen.origin[e]);
  }

  /// All that a reading compares.
  std::array<std::vector<Time>*, 6> times() {
    return {&ready_, &free_, &reducing_, &posted_, &taken_, &latest_};
  }

  /// One message: when its sender goes on, when it is there, what its receiver then pays, its size.
  struct Done {
    Time sender, arrived;
    Seconds overhead;
    Bytes bytes;
    Place from, to;
  };

  struct Coming {
    Bytes bytes;
    Wire wire;
  };

  /// A copy of a multicast: where its receiver lands, which processor pays for it, and when.
  struct Copy {
    std::size_t at, processor;
    Done done;
  };

  /// All messages of a step start from what the step before left; only then do its ranks move on.
  void advance(const Step& step) {
    for (const Step::Join& join : step.joins) join_channels(join);
    done_.clear();
    done_.reserve(step.transfers.size());
    arrived_ = {};
    bool in_order = true;
    for (std::size_t i = 0; i < step.transfers.size(); ++i) {
      if (i % coming_.size() == 0) look_ahead(step, i);
      const Transfer& t = step.transfers[i];
      done_.push_back(transfer(t, coming_[i % coming_.size()]));
      Time& latest = latest_[processor(t.channel, t.to.rank)];
      in_order = in_order && latest <= done_.back().arrived;
      latest = done_.back().arrived;
      arrived_ = std::max(arrived_, Clock::at(latest));
    }
    const bool in_network = !step.multicasts.empty() || !step.reductions.empty();
    if (in_network) landed_ = ready_;
    copies_.clear();
    const bool one_each = step.multicasts.size() == 1 && processors_.empty();
    step.for_each_switched(
        [&](const Multicast& m) {
          if (!beyond_limit()) multicast(m, one_each);
        },
        [&](const Reduction& m) {
          if (!beyond_limit()) reduce_in_network(m);
        });
    std::ranges::stable_sort(copies_,
                             [](const Copy& a, const Copy& b) { return a.done.arrived < b.done.arrived; });
    for (const Copy& c : copies_) land(c.at, taken(c.processor, c.done));
    if (in_order)
      for (std::size_t i = 0; i < done_.size(); ++i) finish(step, i);
    else
      for (const std::size_t i : by_arrival()) finish(step, i);
    if (in_network)
      for (std::size_t i = 0; i < ready_.size(); ++i) at_least(ready_[i], landed_[i]);
  }

  /// What the next messages cost; when their ports are free is fetched meanwhile, which takes longer than all
  /// else where there are many.
  void look_ahead(const Step& step, std::size_t i) {
    for (Coming& c : coming_) {
      if (i == step.transfers.size()) return;
      const Transfer& t = step.transfers[i++];
      c.bytes = layout_.size(step, t);
      c.wire = network_.wire(t.from, t.to, c.bytes);
      for (const Time* free :
           {&free_[queue(c.wire.out_queue, c.wire.out)], &free_[queue(c.wire.in_queue, c.wire.in)]})
        __builtin_prefetch(free, 1);
      for (const Seconds* busy : {&busy_[c.wire.out], &busy_[c.wire.in]}) __builtin_prefetch(busy, 1);
    }
  }

  Done transfer(const Transfer& t, const Coming& message) {
    const Wire& wire = message.wire;
    const Time from = ready(t.channel, t.from.rank);
    Time& posted = posted_[processor(t.channel, t.from.rank)];
    const Time begin = turn(wire, from, posted);
    const Done done = send(wire, message.bytes, begin, ready(t.channel, t.to.rank), t.from, t.to);
    if (pays(wire)) posted = paid(wire, begin, done);
    return done;
  }

  /// A processor pays for the messages of a step one after another; of a rendezvous it asks the receiver
  /// when it is its turn.
  bool pays(const Wire& wire) const {
    return (wire.overhead > Seconds(0) || (wire.eager && wire.streamed)) &&
           protocol_.hold == Protocol::Hold::injection;
  }
  Time turn(const Wire& wire, Time ready, Time posted) const {
    return pays(wire) ? std::max(ready, posted) : ready;
  }
  Time paid(const Wire& wire, Time turn, const Done& done) {
    return wire.eager ? done.sender : clock_.later(turn, wire.overhead, Cause::overhead, done.from, done.to);
  }

  /// What has arrived is paid for in that order, after what was sent, and then reduced.
  void finish(const Step& step, std::size_t i) {
    const Transfer& t = step.transfers[i];
    Time when = taken(processor(t.channel, t.to.rank), done_[i]);
    if (t.combine == Combine::reduce) {
      const Seconds work = done_[i].bytes * network_.gamma(t.to);
      const std::size_t r = processor(0, t.to.rank);
      reduced_[r] += work;
      when = reducing_[r] =
          clock_.later(std::max(std::max(reducing_[r], away_), when), work, Cause::reduction, t.from, t.to);
    }
    at_least(ready(t.channel, t.from.rank), std::max(done_[i].sender, away_));
    at_least(ready(t.channel, t.to.rank), std::max(when, away_));
  }

  Time taken(std::size_t to, const Done& done) {
    if (!(done.overhead > Seconds(0))) return done.arrived;
    const Time free = std::max(std::max(taken_[to], posted_[to]), done.arrived);
    return taken_[to] = clock_.later(free, done.overhead, Cause::overhead, done.from, done.to);
  }

  std::span<const std::size_t> by_arrival() {
    arrivals_.resize(done_.size());
    std::iota(arrivals_.begin(), arrivals_.end(), std::size_t{0});
    std::ranges::stable_sort(
        arrivals_, [this](std::size_t a, std::size_t b) { return done_[a].arrived < done_[b].arrived; });
    return arrivals_;
  }

  Done send(const Wire& wire, Bytes bytes, Time sender, Time receiver, Place from, Place to) {
    Time &out = free_[queue(wire.out_queue, wire.out)], &in = free_[queue(wire.in_queue, wire.in)];
    if (wire.in_queue == Wire::nowhere) in = Clock::time(-no_limit), unqueued_ = true;
    if (protocol_.hold == Protocol::Hold::delivery) {
      const Time both = std::max(sender, receiver);
      const Time start = clock_.wait(both, std::max(out, in), Cause::queue, from, to);
      const Seconds held = wire.overhead + wire.latency + bytes * wire.per_byte + wire.receive_overhead;
      occupy(wire, held, held);
      return out = in = clock_.hold(start, held, wire, bytes, from, to), Done{out, out, {}, bytes, from, to};
    }
    const Time go = wire.eager ? sender
                               : clock_.later(std::max(std::max(sender, receiver), away_), wire.handshake,
                                              Cause::overhead, from, to);
    const Time paid = clock_.later(go, wire.overhead, Cause::overhead, from, to);
    const Time leaves = clock_.wait(paid, out, Cause::queue, from, to);
    const Time left = clock_.carry(leaves, wire, bytes, from, to);
    const Seconds occupied = wire.occupation(bytes);
    occupy(wire, wire.gap + occupied, occupied);
    const Time next = clock_.later(leaves, wire.gap, Cause::overhead, from, to);
    out = wire.streamed ? clock_.later(next, occupied, Cause::link, from, to)
                        : clock_.carry(next, wire, bytes, from, to);
    const Time there = clock_.later(leaves, wire.latency, Cause::latency, from, to);
    in = clock_.carry(clock_.wait(there, in, Cause::queue, from, to), wire, bytes, from, to);
    return {wire.eager && !wire.streamed ? paid : left,
            std::max(in, receiver),
            wire.receive_overhead,
            bytes,
            from,
            to};
  }

  /// One copy leaves the sender's port, one arrives at each receiver's. Processors pay for copies in the
  /// order in which they arrive, unless they get one each.
  void multicast(const Multicast& m, bool one_each) {
    const Bytes bytes = layout_.size(m.chunk);
    const std::size_t from = index(m.channel, m.from.rank);
    Time& posted = posted_[processor(m.channel, m.from.rank)];
    Time sent = ready_[from], all_paid = posted;
    Port out = Wire::nowhere, in = Wire::nowhere;
    Time free, last;
    Seconds busy;
    for (Rank i = 0; i < m.to.count; ++i) {
      const Rank to = m.to[i];
      if (to == m.from.rank) continue;
      const auto [wire, carried] = switched(network_, Switching::multicast, m.from, {to, m.memory}, bytes);
      const std::size_t lane = queue(wire.out_queue, wire.out);
      if (wire.out == out)
        free_[lane] = free, busy_[out] = busy;  // receivers behind one port share the copy that leaves it
      else
        out = wire.out, free = last = free_[lane], busy = busy_[out];
      const std::size_t at = index(m.channel, to);
      const Seconds in_busy = busy_[wire.in];
      const Time begin = turn(wire, ready_[from], posted);
      const Done done = send(wire, carried, begin, ready_[at], m.from, {to, m.memory});
      if (wire.in == in) busy_[in] = in_busy;  // and the one that comes in
      in = wire.in;
      free_[lane] = last = std::max(last, free_[lane]);
      sent = std::max(sent, done.sender);
      if (pays(wire)) all_paid = std::max(all_paid, paid(wire, begin, done));
      if (done.overhead > Seconds(0) && !one_each)
        copies_.push_back({at, processor(m.channel, to), done});
      else
        land(at, taken(processor(m.channel, to), done));
    }
    posted = all_paid;
    land(from, sent);
  }

  /// One copy leaves each sender's port; they arrive as one, when the last of them does.
  void reduce_in_network(const Reduction& m) {
    const Bytes bytes = layout_.size(m.chunk);
    const Time receiver = ready(m.channel, m.to.rank);
    Time arrived = receiver;
    Port in = Wire::nowhere;
    Time free, last;
    Seconds busy;
    for (Rank i = 0; i < m.from.count; ++i) {
      const Rank from = m.from[i];
      if (from == m.to.rank) continue;
      const auto [wire, carried] = switched(network_, Switching::reduction, {from, m.memory}, m.to, bytes);
      const std::size_t lane = queue(wire.in_queue, wire.in);
      if (wire.in == in)
        free_[lane] = free, busy_[in] = busy;
      else
        in = wire.in, free = last = free_[lane], busy = busy_[in];
      const Done done = send(wire, carried, ready(m.channel, from), receiver, {from, m.memory}, m.to);
      free_[lane] = last = std::max(last, free_[lane]);
      arrived =
          std::max(arrived, clock_.later(done.arrived, done.overhead, Cause::overhead, done.from, m.to));
      land(index(m.channel, from), done.sender);
    }
    land(index(m.channel, m.to.rank), arrived);
  }

  void land(std::size_t where, Time when) {
    at_least(landed_[where], std::max(when, away_));
    arrived_ = std::max(arrived_, Clock::at(when));
  }
  bool beyond_limit() const { return std::max(arrived_, least_) > limit_; }

  void join_channels(Step::Join join) {
    for (std::size_t r = 0; r < ranks_; ++r) {
      Time last = Clock::time(-no_limit);
      for (std::size_t c = join.first; c < join.last; ++c) last = std::max(last, ready_[c * ranks_ + r]);
      for (std::size_t c = join.first; c < join.last; ++c) ready_[c * ranks_ + r] = last;
    }
  }

  /// The queue behind the last one is nowhere: nobody waits in it.
  std::size_t queue(Port lane, Port port) const {
    if (lane == Wire::as_port) return port;
    return lane == Wire::nowhere ? free_.size() - 1 : lane;
  }
  void occupy(const Wire& wire, Seconds out, Seconds in) {
    busy_[wire.out] += out;
    busy_[wire.in] += in;
  }
  /// Each rank pays for its own messages, unless the network says otherwise.
  std::vector<Rank> shared_processors() const {
    std::vector<Rank> processors;
    if constexpr (requires { network_.processor(0); }) {
      for (Rank r = 0; r < schedule_.ranks; ++r) processors.push_back(network_.processor(r));
      if (std::ranges::is_sorted(processors, std::less_equal())) processors.clear();  // 0, 1, 2, ...
    }
    return processors;
  }
  std::size_t processor(std::uint16_t channel, Rank r) const {
    return index(channel, processors_.empty() ? r : processors_[static_cast<std::size_t>(r)]);
  }
  std::size_t index(std::uint16_t channel, Rank r) const {
    return channel * ranks_ + static_cast<std::size_t>(r);
  }
  Time& ready(std::uint16_t channel, Rank r) { return ready_[index(channel, r)]; }
  static void at_least(Time& slot, Time value) { slot = std::max(slot, value); }

  template <class, class>
  friend class CriticalPath;

  const Schedule& schedule_;
  const Layout& layout_;
  const Network& network_;
  Clock clock_;
  Time away_;
  const Seconds limit_;
  const Protocol protocol_;
  const std::size_t ranks_;
  const std::vector<Rank> processors_;  ///< of the ranks; none if each has its own
  std::vector<Time> ready_;             ///< per channel and rank: done with all earlier steps
  std::vector<Time> free_;              ///< per port
  std::vector<Seconds> busy_;           ///< per port
  std::vector<Time> reducing_;          ///< per processor: done with all reductions so far
  std::vector<Seconds> reduced_;        ///< per processor: time spent reducing
  std::vector<Time> posted_;            ///< per channel and processor: paid for what it sent
  std::vector<Time> taken_;             ///< per channel and processor: paid for what it received
  std::vector<Time> latest_;            ///< per channel and processor: arrival of its last message
  Seconds arrived_;                     ///< the last message of this step
  Time last_{};                         ///< when the last rank was done
  Seconds least_;                       ///< what steps that repeat take at least
  bool unqueued_ = false;               ///< some message did not queue where it arrived
  std::array<Coming, 16> coming_;       ///< the next transfers of this step
  std::vector<Done> done_;              ///< per transfer of this step
  std::vector<std::size_t> arrivals_;
  std::vector<Copy> copies_;  ///< of this step's multicasts that cost their receivers something
  std::vector<Time> landed_;  ///< ready_ after this step's multicasts and reductions
};

/// A network on which all wires are alike, as one rank sees it that stands for all.
template <class Network>
class NetworkOfOne {
 public:
  explicit NetworkOfOne(const Network& network) : network_(network) {}
  Wire wire(Place, Place, Bytes bytes) const {
    Wire w = network_.wire(0, 1, bytes);
    return w.out = 0, w.in = 1, w;
  }
  SecondsPerByte gamma(Place) const { return network_.gamma(0); }
  const Protocol& protocol() const { return network_.protocol(); }
  Port ports() const { return 2; }
  Port queues() const { return 2; }

 private:
  const Network& network_;
};

/// Whether all ranks do alike on wires that are alike, from ports of their own: their times are then the
/// same.
template <class Network>
bool all_alike(const Schedule& schedule, const Layout& layout, const Network& network) {
  if (!even(schedule) || schedule.ranks == 1 || !layout.equal_blocks()) return false;
  if constexpr (requires { network.processor(0); })
    for (Rank r = 0; r < schedule.ranks; ++r)
      if (network.processor(r) != r) return false;
  if constexpr (requires { network.hockney(); }) return network.hockney().has_value();
  return false;
}

/// Follows one rank for all.
template <class Network>
PathResult path_of_one(const Schedule& schedule, const Layout& layout, const Network& network, Seconds away,
                       Seconds limit) {
  const auto rule = [&alike = *even(schedule)](std::int64_t s, Step& step) {
    const Even e = alike(s);
    for (std::int64_t i = 0; i < e.messages; ++i) step.send(0, 0, {0, e.blocks}, e.combine);
  };
  const auto repeated = repeats(schedule);
  const Schedule one =
      repeating({1, schedule.blocks, schedule.steps, rule}, {repeated.begin(), repeated.end()});
  const NetworkOfOne<Network> seen(network);
  PathResult result = CriticalPath<NetworkOfOne<Network>>(one, layout, seen, away, limit).run();
  result.finish.assign(static_cast<std::size_t>(schedule.ranks), result.finish[0]);
  result.busy.assign(network.ports(), result.busy[0]);
  return result;
}

template <class Network>
PathResult critical_path(const Schedule& schedule, const Layout& layout, const Network& network,
                         Seconds away = {}, Seconds limit = no_limit) {
  if (all_alike(schedule, layout, network)) return path_of_one(schedule, layout, network, away, limit);
  return CriticalPath<Network>(schedule, layout, network, away, limit).run();
}

}  // namespace collcast
