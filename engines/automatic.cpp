// SPDX-License-Identifier: Apache-2.0
#include "engines/automatic.hpp"

#include <algorithm>
#include <unordered_map>

#include "model/repeats.hpp"

namespace collcast {
namespace {

/// The most messages to play, which takes some seconds.
constexpr std::int64_t most_played = 300'000;

std::int64_t messages_of(const Step& step) {
  auto count = static_cast<std::int64_t>(step.transfers.size());
  for (const Multicast& m : step.multicasts) count += m.to.count;
  for (const Reduction& m : step.reductions) count += m.from.count;
  return count;
}

bool too_many(const Schedule& schedule) {
  return messages_of(schedule, most_played) > most_played;
}

/// The ports that put messages on each link and that take them off: none, one, or several.
class Users {
 public:
  explicit Users(const Fabric& fabric)
      : fabric_(fabric),
        to_delivery_(fabric.protocol().hold == MessageProtocol::Hold::delivery),
        senders_(fabric.links().size(), nobody),
        receivers_(to_delivery_ ? senders_.size() : 0, nobody) {}

  /// Whether messages of several ranks come to one port that is held until delivery: it serves them as these
  /// become ready, which after the first step is not in the order of the schedule.
  bool meet(const Step& step) {
    if (!to_delivery_) return false;
    arrivals_.clear();
    return !std::ranges::all_of(step.transfers, [&](const Transfer& t) {
      const Port in = fabric_.wire(t.from, t.to, Bytes(1)).in;
      return arrivals_.try_emplace(in, t.from.rank).first->second == t.from.rank;
    });
  }

  /// False if a link of the message's route may carry another message at the same time.
  bool alone(const Transfer& t) {
    if (t.from == t.to) return true;
    route_.clear();
    fabric_.route(t.from, t.to, route_);
    const Wire wire = fabric_.wire(t.from, t.to, Bytes(1));
    // Messages of one rank follow each other; those of several ranks do so only if ports are held until
    // delivery.
    const Port sender = to_delivery_ ? wire.out : static_cast<Port>(t.from.rank);
    return std::ranges::all_of(route_, [&](LinkId link) {
      const bool one_sender = only(senders_[link], sender);
      return (to_delivery_ && only(receivers_[link], wire.in)) || one_sender;
    });
  }

 private:
  static constexpr Port nobody = ~Port{0}, several = nobody - 1;
  static bool only(Port& user, Port port) {
    if (user == nobody) user = port;
    if (user != port) user = several;
    return user == port;
  }

  const Fabric& fabric_;
  const bool to_delivery_;
  std::vector<Port> senders_, receivers_;    ///< per link
  std::unordered_map<Port, Rank> arrivals_;  ///< of a step: from whom the first came
  std::vector<LinkId> route_;
};

bool may_share(const Schedule& schedule, const Fabric& fabric) {
  Users users(fabric);
  bool shared = false;
  Step step;
  for (std::int64_t s = 0; s < schedule.steps && !shared; s = next_different(schedule, s)) {
    step.clear();
    schedule.rule(s, step);
    shared = !std::ranges::all_of(step.transfers, [&](const Transfer& t) { return users.alone(t); });
    shared = shared || (s > 0 && users.meet(step));
    if (fabric.protocol().hold != MessageProtocol::Hold::delivery)
      shared = shared || !step.multicasts.empty() || !step.reductions.empty();
  }
  return shared;
}

}  // namespace

std::int64_t messages_of(const Schedule& schedule, std::int64_t most) {
  std::int64_t messages = 0;
  if (const SymmetricRule* alike = symmetric_rule(schedule))
    for (std::int64_t s = 0; s < schedule.steps && messages <= most; ++s)
      messages += (*alike)(s).messages * schedule.ranks;
  else
    for_each_step(schedule, false, [&](const Step& step) {
      messages += messages_of(step);
      return messages <= most;
    });
  return messages;
}

bool messages_may_share(const Schedule& schedule, const Fabric& fabric) {
  return !too_many(schedule) && may_share(schedule, fabric);
}

ResolvedEngine resolve(const Engine& asked, const SizedSchedule& subject, const Fabric& fabric) {
  if (!asked.chooses) return {&asked, {}};
  if (too_many(subject.schedule))
    return {&engine("path"),
            "schedules of more than 300,000 messages are answered by critical path, which ignores that ranks "
            "share links; --engine contention models it"};
  // Several channels share a rank's ports and processor in the order in which their messages are ready, which
  // the critical path does not know.
  const bool played = subject.schedule.channels > 1 || may_share(subject.schedule, fabric);
  return {&engine(played ? "contention" : "path"), {}};
}

}  // namespace collcast
