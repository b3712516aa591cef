// SPDX-License-Identifier: Apache-2.0
#include "replay/application/prices.hpp"

#include <algorithm>

#include "support/text.hpp"

namespace collcast {
namespace {

/// Whether the members lie on nodes in the same way as those of the group that begins at rank 0.
bool on_nodes_alike(const Machine& machine, const std::vector<Rank>& members) {
  const Rank first = *std::ranges::min_element(members);
  return std::ranges::all_of(members, [&](Rank m) {
    return machine.node(m) - machine.node(first) == machine.node(m - first) - machine.node(0);
  });
}

}  // namespace

Prices::Prices(const Source& source, const Description& platform, const Machine& machine,
               const std::string& policy, const Offloaded& offloaded)
    : forecaster_(platform, policy, offloaded.pieces, offloaded.direct),
      by_nccl_(is_nccl(policy)),
      offloaded_(offloaded) {
  std::map<RankGroup, std::set<Rank>> firsts;
  for (const std::vector<Rank>& members : source.communicators()) {
    Group& group = groups_.emplace_back();
    group.ranks = members.empty() ? std::nullopt : group_of(members, source.ranks());
    if (!group.ranks)
      group.why_not = "of ranks at no regular distances";
    else if (!on_nodes_alike(machine, members))
      group.ranks.reset(), group.why_not = "of ranks that begin within a node and end on another";
    else
      firsts[*group.ranks].insert(*std::ranges::min_element(members));
  }
  const bool all_recorded = recorded_ranks(source).size() == static_cast<std::size_t>(source.ranks());
  for (Group& group : groups_) {
    if (!group.ranks) continue;
    const std::size_t groups = firsts[*group.ranks].size();
    if (groups * static_cast<std::size_t>(group.ranks->size()) >= static_cast<std::size_t>(source.ranks()))
      continue;
    if (groups == 1 && all_recorded)
      group.ranks->alone = true;
    else
      group.ranks.reset(), group.why_not = "of groups whose likes are not all of the ranks";
  }
}

std::optional<GroupPrediction> Prices::of(const Activity& activity, const std::string& algorithm) {
  const Group& group = groups_.at(static_cast<std::size_t>(activity.communicator));
  const bool by_dpus = offloaded_.has(activity.collective);
  if (!by_dpus && (!by_nccl_ || (algorithm.empty() && !forecaster_.chooses(activity.collective)))) return {};
  if (const bool uneven = activity.direct || activity.counts; uneven || !group.ranks) {
    played_[uneven ? "of sizes that differ from rank to rank" : group.why_not].insert(
        std::string(activity.operation));
    return {};
  }
  offloaded_calls_ += by_dpus;
  const auto key = std::tuple(*group.ranks, activity.collective, activity.message, algorithm);
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_[key] = predict(activity, *group.ranks, algorithm);
}

GroupPrediction Prices::predict(const Activity& activity, const RankGroup& group,
                                const std::string& algorithm) {
  if (!offloaded_.has(activity.collective)) {
    GroupPrediction answer = forecaster_.predict(activity.collective, group, activity.message, algorithm);
    answer.between_nodes = forecaster_.nodes(group) > 1;
    return answer;
  }
  GroupPrediction answer =
      forecaster_.predict_offloaded(activity.collective, group, activity.message, algorithm);
  answer.choice += " by DPUs";
  return answer;
}

std::vector<std::string> Prices::notes(const std::string& messages) const {
  std::vector<std::string> notes;
  for (const auto& [why, operations] : played_)
    notes.push_back(text::join(operations) + " " + why + ": played as messages of " + messages);
  return notes;
}

}  // namespace collcast
