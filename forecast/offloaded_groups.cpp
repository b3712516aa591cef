// SPDX-License-Identifier: Apache-2.0
#include "forecast/offloaded_groups.hpp"

#include <algorithm>
#include <deque>

#include "engines/automatic.hpp"
#include "forecast/offload.hpp"
#include "forecast/spread.hpp"
#include "libraries/segments.hpp"
#include "model/compose.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

/// How many members of the group the first node holds; 1 if that does not divide the group.
Rank on_a_node(const RankGroup& group, Rank node) {
  const std::vector<Rank> members = group.members();
  const auto here = static_cast<Rank>(std::ranges::count_if(members, [&](Rank r) { return r < node; }));
  return group.size() % here == 0 ? here : 1;
}

}  // namespace

Algorithm by_all_alike(const Algorithm& algorithm, const RankGroup& group) {
  Algorithm all = algorithm;
  all.schedule = [schedule = algorithm.schedule, group](const Call& c) {
    const Schedule one = schedule(c);
    const std::vector<Rank> members = group.members(), groups = firsts(group);
    const Rank size = group.size();
    const Schedule dense = on_each(
        static_cast<Rank>(groups.size()),
        [size](Rank g) {
          return Ranks{g * size, size, 1};
        },
        one, group.world, [](Rank) { return Block(0); }, one.blocks);
    return renamed(dense, group.world, [members, groups, size](Rank r) {
      return groups[static_cast<std::size_t>(r / size)] + members[static_cast<std::size_t>(r % size)];
    });
  };
  return all;
}

OffloadedGroups::OffloadedGroups(Description platform, int pieces, bool direct)
    : platform_(std::move(platform)), pieces_(pieces), direct_(direct) {
  check(Offload{.who = "dpu", .pieces = pieces}, engine("auto"));
}

const OffloadedGroups::World& OffloadedGroups::world(Rank ranks) {
  auto& known = worlds_[ranks];
  if (known) return *known;
  const int cores = workers({.who = "dpu"}, platform_);
  const auto with = [&](const Description& d) {
    return Forecaster(d, ranks, Placement::block, Memory::device, cores);
  };
  known.reset(new World{with(platform_), with(optimistic(platform_)), with(pessimistic(platform_))});
  return *known;
}

GroupPrediction OffloadedGroups::predict(Collective collective, const RankGroup& group, Bytes message,
                                         const std::string& algorithm) {
  const World& w = world(group.world);
  if (group.size() == 1 || does_nothing(collective, message)) return {};
  Call call;
  call.ranks = group.size();
  call.message = message;
  call.ranks_per_node = on_a_node(group, w.nominal.machine().ranks_per_node());
  std::deque<Algorithm> played;
  std::vector<const Algorithm*> among;
  for (const Algorithm* a : algorithm.empty() ? common_algorithms(collective) : algorithms(collective))
    if (algorithm.empty() ? a->supports(call.ranks) : a->name == algorithm)
      among.push_back(&played.emplace_back(by_all_alike(on_dpu(*a, pieces_, direct_), group)));
  const Fabric& fabric = w.nominal.fabric();
  const Choice choice = algorithm.empty() || among.empty()
                            ? fastest(fabric, among, call)
                            : Choice{among[0], segmented(*among[0], call, usual_segment)};
  if (!choice.algorithm)
    throw InputError("no algorithm of the catalogue serves " + std::string(definition(collective).name) +
                     " on " + std::to_string(call.ranks) + " ranks");
  const SizedSchedule subject(*choice.algorithm, choice.call);
  const Engine& by = *resolve(engine("auto"), subject, fabric).engine;
  const Reading answer = read(by, subject, fabric);
  const Ends ends = read_ends(by, subject, answer.time, fabric, w.fast.fabric(), w.slow.fabric());
  const auto handoff = [](const Forecaster& f) { return f.machine().handoff().all; };
  GroupPrediction a{answer.time + handoff(w.nominal), ends.least * answer.time + handoff(w.fast),
                    ends.most * answer.time + handoff(w.slow), answer.limited_by, choice.algorithm->name};
  a.calibrated = w.nominal.calibrated();
  return a;
}

}  // namespace collcast
