// SPDX-License-Identifier: Apache-2.0
#include "replay/application/collectives.hpp"

#include <algorithm>

#include "replay/application/strands.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

/// The tags of a collective: it has 2^32 of its own, which no message of the source has.
std::uint64_t collective_tags(std::uint64_t instance) {
  return (std::uint64_t{1} << 63) | (instance << 32);
}

/// The sizes of a schedule's blocks: message / blocks for each, or each rank's share divided evenly.
Layout layout_of(const Activity& activity, const Algorithm& a, const Call& call, const Schedule& schedule) {
  if (!activity.counts || activity.counts->shares.empty()) return layout(a, call, schedule);
  const auto pieces = schedule.blocks / call.ranks;
  std::vector<Bytes> sizes;
  for (Bytes share : activity.counts->shares)
    sizes.insert(sizes.end(), static_cast<std::size_t>(pieces), share / static_cast<double>(pieces));
  return Layout(sizes);
}

/// What a rank's call adds to the size of a collective whose ranks know only their own sizes. A root knows
/// the whole; without a root the size is what ranks send on average.
Bytes part_of(const Activity& activity, Rank rank, std::size_t ranks) {
  if (definition(activity.collective).rooted) return rank == activity.root ? activity.message : Bytes(0);
  return activity.message / static_cast<double>(ranks);
}

}  // namespace

bool of_collective(std::uint64_t tag) {
  return tag >> 63 != 0;
}

Collectives::Collectives(const Source& source, Selection& selection, PriceOf price, LaunchOf launch)
    : source_(source),
      selection_(selection),
      price_(std::move(price)),
      launch_(std::move(launch)),
      calls_(static_cast<std::size_t>(source.ranks())) {
  if (!source.info().ordered)
    throw InputError(
        source.info().name + ": a " + source.info().format +
        " profile says how often and how long, but not in which order, and cannot be replayed; `collcast "
        "inspect` shows it");
  if (!source.info().unplayable.empty())
    throw InputError(source.info().name + ": " + source.info().unplayable);
}

const std::vector<Rank>& Collectives::members(const Activity& activity) const {
  const auto& all = source_.communicators();
  const auto number = static_cast<std::size_t>(activity.communicator);
  if (activity.communicator < 0 || number >= all.size())
    throw InputError(source_.info().name + ": " + std::string(activity.call) + " names communicator " +
                     std::to_string(activity.communicator) + " of " + std::to_string(all.size()));
  return all[number];
}

void Collectives::count_send(Bytes bytes) {
  Tally& tally = tallies_["send"];
  ++tally.count;
  tally.bytes += bytes;
}

void Collectives::skip(const Activity& activity) {
  skipped_.add(activity.call, activity.note, activity.times,
               static_cast<double>(activity.times) * std::max(activity.duration.value, 0.0));
}

Collectives::Begun Collectives::begin(Rank world, const Activity& activity) {
  const std::vector<Rank>& all = members(activity);
  const auto rank = static_cast<Rank>(std::ranges::find(all, world) - all.begin());
  if (static_cast<std::size_t>(rank) == all.size())
    throw InputError(source_.info().name + ": rank " + std::to_string(world) + " calls " +
                     std::string(activity.call) + " on a communicator that lacks it");
  const std::int64_t number = calls_[static_cast<std::size_t>(world)].begun[activity.communicator]++;
  const CallNumber key{activity.communicator, number};
  auto found = instances_.find(key);
  if (found == instances_.end()) found = instances_.emplace(key, make(world, activity, all)).first;
  Instance& instance = found->second;
  if (instance.operation != activity.operation)
    throw InputError(source_.info().name + ": rank " + std::to_string(world) + " calls " +
                     std::string(activity.call) + " where rank " + std::to_string(instance.first) +
                     " calls " + instance.call + " (call " + std::to_string(number) + " of communicator " +
                     std::to_string(activity.communicator) + ")");
  if (!instance.why_skipped.empty())  // adds each rank's time to the one call
    skipped_.add(instance.call, instance.why_skipped, 0, std::max(activity.duration.value, 0.0));
  const std::shared_ptr<Lowering> lowering = instance.lowering;
  const std::optional<Op> meeting = instance.meeting;
  note_recorded(activity);
  if (activity.direct) tallies_[instance.operation].bytes += part_of(activity, rank, all.size());
  if (--instance.to_come == 0) instances_.erase(found);
  if (meeting) return {single(*meeting), meeting->time};
  if (!lowering) return {};
  auto strand = lowering->strand(rank);
  if (!activity.sized) {
    Op pause;
    pause.kind = Op::Kind::pause, pause.time = activity.time;
    return {then(std::move(strand), single(pause))};
  }
  if (launch_) strand = then(single(lasting(launch_(activity.message), 1, "launch")), std::move(strand));
  if (!activity.direct) return {std::move(strand)};
  return {resized(std::move(strand), activity, rank, static_cast<Rank>(all.size()))};
}

void Collectives::note_recorded(const Activity& activity) {
  const auto tally = tallies_.find(std::string(activity.operation));
  if (tally == tallies_.end()) return;
  Seconds& recorded = tally->second.recorded;
  const bool known = activity.duration >= Seconds() && recorded >= Seconds();
  recorded = known ? recorded + activity.duration : Seconds(-1);
}

Op Collectives::meeting(const Activity& activity, const Price& price, std::size_t members) {
  Tally& tally = tallies_[std::string(activity.operation)];
  ++tally.count;
  tally.bytes += activity.message;
  if (!price.algorithm.empty()) tally.algorithms.insert(price.algorithm);
  Op op = lasting(price.time, members, std::string(activity.operation) + ": " + price.limited_by);
  op.load = price.load, op.between_nodes = price.between_nodes;
  return op;
}

Op Collectives::lasting(Seconds time, std::size_t members, const std::string& limited_by) {
  auto found = std::ranges::find(limits_, limited_by);
  if (found == limits_.end()) found = limits_.insert(found, limited_by);
  Op op;
  op.kind = Op::Kind::meet;
  op.tag = collective_tags(++instances_made_);
  op.count = static_cast<std::int32_t>(members);
  op.time = time;
  op.peer = static_cast<Rank>(found - limits_.begin());
  return op;
}

void Collectives::pass_over(Instance& instance, std::string_view why) {
  skipped_.add(instance.call, why);
  instance.why_skipped = why;
}

Op Collectives::gathering(Rank world, const Activity& activity) {
  const std::int64_t number = calls_[static_cast<std::size_t>(world)].gathered[activity.communicator]++;
  const CallNumber key{activity.communicator, number};
  auto found = gatherings_.find(key);
  if (found == gatherings_.end()) {
    const std::size_t all = members(activity).size();
    found = gatherings_.emplace(key, Gathering{lasting({}, all, std::string(waiting_for_ranks)), all}).first;
  }
  const Op op = found->second.op;
  if (--found->second.to_come == 0) gatherings_.erase(found);
  return op;
}

Collectives::Instance Collectives::make(Rank world, const Activity& activity, const std::vector<Rank>& all) {
  Instance instance{
      std::string(activity.operation), std::string(activity.call), world, {}, {}, {}, all.size()};
  if (activity.sized && price_)
    if (const auto price = price_(activity))
      return instance.meeting = meeting(activity, *price, all.size()), instance;
  Call call;
  call.ranks = static_cast<Rank>(all.size());
  call.root = activity.root;
  call.message = activity.sized ? activity.message : Bytes(0);
  const Collective collective = activity.sized ? activity.collective : Collective::barrier;
  // If nobody knows the size, ranks only meet, and no library chooses.
  const std::string_view algorithm = activity.sized ? activity.algorithm : "dissemination";
  const Choice choice =
      selection_.choose(collective, activity.communicator, all, call, activity.direct, algorithm);
  if (!choice.algorithm) {
    pass_over(instance, "no algorithm of the catalogue plays it");
    return instance;
  }
  Schedule schedule = choice.algorithm->schedule(choice.call);
  const Layout sizes = layout_of(activity, *choice.algorithm, choice.call, schedule);
  Tally& tally = tallies_[instance.operation];
  ++tally.count;
  if (!activity.direct) tally.bytes += call.message;
  if (activity.sized)
    tally.algorithms.insert(choice.algorithm->name);
  else
    pass_over(instance, activity.time > Seconds()
                            ? "of unknown size: takes as long as it was recorded to take"
                            : "of unknown size and time: takes none");
  instance.lowering =
      Lowering::make(std::move(schedule), sizes, collective_tags(++instances_made_), all, activity.direct);
  return instance;
}

}  // namespace collcast
