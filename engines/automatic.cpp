// SPDX-License-Identifier: Apache-2.0
#include "engines/automatic.hpp"

#include <algorithm>
#include <unordered_map>

#include "model/repeats.hpp"

namespace collcast {
namespace {

/// The most messages of a schedule that `auto` plays; this takes some seconds.
constexpr std::int64_t most_played = 600'000;
/// For samples of longer schedules: the most messages of a sample, its least number of steps, and the most
/// messages of a step. Where many are sent at once, each that ends changes the rates of many others.
constexpr std::int64_t most_sampled = 100'000, least_steps = 12, most_at_once = 30'000;

bool too_many(const Schedule& schedule) {
  return messages_of(schedule, most_played) > most_played;
}

/// Who puts messages on each link, and, if ports are held until delivery, the port that takes them off:
/// nobody, one, or several.
class LinkUsers {
 public:
  explicit LinkUsers(const Fabric& fabric)
      : fabric_(fabric),
        to_delivery_(fabric.protocol().hold == MessageProtocol::Hold::delivery),
        senders_(fabric.links().size(), nobody),
        receivers_(to_delivery_ ? senders_.size() : 0, nobody) {}

  /// Whether messages of several ranks come to one port that is held until delivery. It serves them as they
  /// become ready, which after the first step may differ from the order of the schedule.
  bool share_port(const Step& step) {
    if (!to_delivery_) return false;
    arrivals_.clear();
    return !std::ranges::all_of(step.transfers, [&](const Transfer& t) {
      const Port in = fabric_.wire(t.from, t.to, Bytes(1)).in;
      return arrivals_.try_emplace(in, t.from.rank).first->second == t.from.rank;
    });
  }

  /// False if a link of the message's route may carry another message at the same time.
  bool has_route_alone(const Transfer& t) {
    if (t.from == t.to) return true;
    route_.clear();
    fabric_.route(t.from, t.to, route_);
    const Wire wire = fabric_.wire(t.from, t.to, Bytes(1));
    const Port queue = queue_of(wire, t.from.rank);
    const bool in_turn = to_delivery_ && wire.in_queue == Wire::as_port;
    return std::ranges::all_of(route_, [&](LinkId link) {
      const bool one_queue = only(senders_[link], queue);
      return (in_turn && only(receivers_[link], wire.in)) || one_queue;
    });
  }

 private:
  static constexpr Port nobody = ~Port{0}, several = nobody - 1;
  /// Messages of one queue follow each other: those of a rank by one port, or, at a port that is held until
  /// delivery and at which the critical path queues, those of all ranks.
  Port queue_of(const Wire& wire, Rank sender) const {
    if (wire.out_queue != Wire::as_port) return wire.out_queue;
    return to_delivery_ ? wire.out : static_cast<Port>(sender);
  }
  static bool only(Port& user, Port port) {
    if (user == nobody) user = port;
    if (user != port) user = several;
    return user == port;
  }

  const Fabric& fabric_;
  const bool to_delivery_;
  std::vector<Port> senders_, receivers_;    ///< per link
  std::unordered_map<Port, Rank> arrivals_;  ///< by port, in this step: the sender of the first message
  std::vector<LinkId> route_;
};

bool may_share(const Schedule& schedule, const Fabric& fabric) {
  LinkUsers users(fabric);
  bool shared = false;
  Step step;
  for (std::int64_t s = 0; s < schedule.steps && !shared; s = next_different(schedule, s)) {
    step.clear();
    schedule.rule(s, step);
    shared =
        !std::ranges::all_of(step.transfers, [&](const Transfer& t) { return users.has_route_alone(t); });
    shared = shared || (s > 0 && users.share_port(step));
    if (fabric.protocol().hold != MessageProtocol::Hold::delivery)
      shared = shared || !step.multicasts.empty() || !step.reductions.empty();
  }
  return shared;
}

/// The mean number of messages per step, from a few steps spread over the schedule.
std::int64_t messages_per_step(const Schedule& schedule) {
  const std::int64_t some = std::min(least_steps, schedule.steps);
  std::int64_t messages = 0;
  Step step;
  for (std::int64_t s = 0; s < some; ++s) {
    step.clear();
    schedule.rule(s * schedule.steps / some, step);
    messages += messages_of(step);
  }
  return std::max<std::int64_t>(1, messages / some);
}

/// Keeps one in `one_in` of each rank's messages.
void thin_out(Step& step, std::int64_t one_in, Rank ranks) {
  std::vector<std::int64_t> sent(static_cast<std::size_t>(ranks));
  std::erase_if(step.transfers, [&](const Transfer& t) {
    return sent[static_cast<std::size_t>(t.from.rank)]++ % one_in != 0;
  });
}

/// `steps` steps of a schedule from `first` on, with one in `one_in` of each rank's messages.
Schedule part(const Schedule& whole, std::int64_t first, std::int64_t steps, std::int64_t one_in) {
  Schedule some;
  some.ranks = whole.ranks, some.blocks = whole.blocks, some.steps = steps;
  some.channels = whole.channels, some.ways = whole.ways;
  some.rule = [rule = whole.rule, ranks = whole.ranks, first, one_in](std::int64_t s, Step& step) {
    rule(first + s, step);
    if (one_in > 1) thin_out(step, one_in, ranks);
  };
  return some;
}

/// Parts of the schedule around a quarter, a half and three quarters of its steps, or all of it if it has
/// few. Steps are consecutive, so that ranks drift apart as they do in the whole.
std::vector<Schedule> samples(const Schedule& whole) {
  const std::int64_t per_step = messages_per_step(whole);
  const std::int64_t steps =
      std::min(whole.steps, std::max<std::int64_t>(least_steps, most_sampled / per_step));
  const std::int64_t one_in = std::max<std::int64_t>(1, per_step / most_at_once);
  if (steps == whole.steps) return {part(whole, 0, steps, one_in)};
  std::vector<Schedule> all;
  for (const std::int64_t quarter : {1, 2, 3})
    all.push_back(
        part(whole, std::clamp<std::int64_t>(quarter * whole.steps / 4 - steps / 2, 0, whole.steps - steps),
             steps, one_in));
  return all;
}

double stretch_of(const SizedSchedule& subject, const Fabric& fabric) {
  if (subject.schedule.channels == 1 && !may_share(subject.schedule, fabric)) return 1;
  const Seconds alone = read(engine("path"), subject, fabric).time;
  return alone > Seconds() ? std::max(1.0, read(engine("contention"), subject, fabric).time / alone) : 1;
}

}  // namespace

bool messages_may_share(const Schedule& schedule, const Fabric& fabric) {
  return !too_many(schedule) && may_share(schedule, fabric);
}

ResolvedEngine resolve(const Engine& asked, const SizedSchedule& subject, const Fabric& fabric) {
  if (!asked.chooses) return {&asked, {}};
  if (too_many(subject.schedule))
    return {
        &engine("path"),
        "of schedules of more than 600,000 messages samples are played, which say by how much shared links "
        "stretch their critical path; low is without that; --engine contention plays all messages"};
  // Several channels share a rank's ports and processor in the order in which their messages become ready.
  // The critical path does not know that order.
  const bool played = subject.schedule.channels > 1 || may_share(subject.schedule, fabric);
  return {&engine(played ? "contention" : "path"), {}};
}

Stretch stretched_by_sharing(const SizedSchedule& subject, const Fabric& fabric) {
  Stretch found{0, 1};
  const std::vector<Schedule> all = samples(subject.schedule);
  for (const Schedule& sample : all) {
    const double stretch = stretch_of({sample, subject.layout}, fabric);
    found.mean += stretch / static_cast<double>(all.size());
    found.most = std::max(found.most, stretch);
  }
  return found;
}

}  // namespace collcast
