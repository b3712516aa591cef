// SPDX-License-Identifier: Apache-2.0
#include "model/bounds/cut_graphs.hpp"

#include <algorithm>

namespace collcast {
namespace {

std::vector<Place> places(Rank ranks, const std::vector<Memory>& memories) {
  std::vector<Place> all;
  for (const Memory m : memories)
    for (Rank r = 0; r < ranks; ++r) all.emplace_back(r, m);
  return all;
}

}  // namespace

Routes::Routes(const Fabric& fabric, std::vector<Memory> between)
    : ranks(fabric.ranks()), memories(std::move(between)) {
  const std::vector<Place> all = places(ranks, memories);
  ends.reserve(all.size() * all.size());
  for (const Place& from : all)
    for (const Place& to : all) {
      if (!(from == to)) fabric.route(from, to, links);
      ends.push_back(links.size());
    }
}

bool Routes::hold_for(const Fabric& fabric, const std::vector<Memory>& between) const {
  if (ranks != fabric.ranks() || memories != between) return false;
  const std::vector<Place> all = places(ranks, memories);
  std::vector<LinkId> route;
  std::size_t pair = 0, begin = 0;
  for (const Place& from : all)
    for (const Place& to : all) {
      route.clear();
      if (!(from == to)) fabric.route(from, to, route);
      const std::size_t end = ends[pair++];
      if (!std::equal(route.begin(), route.end(), links.begin() + static_cast<std::ptrdiff_t>(begin),
                      links.begin() + static_cast<std::ptrdiff_t>(end)))
        return false;
      begin = end;
    }
  return true;
}

Cut CutGraphs::around(const Fabric& fabric, const std::vector<char>& inside, bool into,
                      std::span<const Rank> others, std::optional<std::size_t> near) {
  auto at = groups_.find({inside, into});
  if (at == groups_.end())
    at = groups_.emplace(std::pair(inside, into), cut_around(fabric, inside, into, memories_, others, near))
             .first;
  return at->second(fabric.links());
}

RouteGraph& CutGraphs::all(const Fabric& fabric, bool reversed) {
  std::optional<RouteGraph>& graph = all_[reversed ? 1 : 0];
  if (!graph) {
    const std::vector<Place> all = places(fabric.ranks(), memories_);
    graph.emplace(fabric.ranks(), reversed).add(fabric, all, all);
  }
  return *graph;
}

std::shared_ptr<SharedCutGraphs::Shared> SharedCutGraphs::of(const Fabric& fabric,
                                                             const std::vector<Memory>& memories) {
  const std::scoped_lock lock(mutex_);
  const auto known = std::ranges::find_if(
      last_, [&](const auto& shared) { return shared->routes.hold_for(fabric, memories); });
  if (known != last_.end()) {
    last_.splice(last_.begin(), last_, known);
  } else {
    last_.push_front(std::make_shared<Shared>(fabric, memories));
    if (last_.size() > most) last_.pop_back();
  }
  return last_.front();
}

}  // namespace collcast
