// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/across_ranks.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "support/text.hpp"

namespace collcast {
namespace {

/// Collectives of a communicator, in order.
struct Calls {
  Rank rank;
  std::vector<Activity*> all;
};

/// Of each member that has some, by communicator.
std::map<int, std::vector<Calls>> by_communicator(RecordedSource& source) {
  std::map<int, std::vector<Calls>> all;
  for (Rank r = 0; r < source.ranks(); ++r) {
    std::map<int, std::vector<Activity*>> mine;
    for (int s = 0; s < source.streams(r); ++s)
      for (Activity& a : source.at(r, s))
        if (a.kind == Activity::Kind::collective) mine[a.communicator].push_back(&a);
    for (auto& [communicator, calls] : mine) all[communicator].push_back({r, std::move(calls)});
  }
  return all;
}

std::size_t least_of(const std::vector<Calls>& members) {
  return std::ranges::min_element(members, {}, [](const Calls& c) { return c.all.size(); })->all.size();
}

bool holds_up_all(Collective c) {
  return c == Collective::allreduce || c == Collective::allgather || c == Collective::reduce_scatter ||
         c == Collective::alltoall || c == Collective::barrier;
}

/// By how much clocks disagree at least; below 0: they agree; none if no collective tells.
std::optional<Seconds> disagreement(RecordedSource& source, const std::map<Rank, Seconds>& begins) {
  std::optional<Seconds> worst;
  for (const auto& [communicator, members] : by_communicator(source)) {
    for (std::size_t i = 0; members.size() > 1 && i < least_of(members); ++i) {
      if (!holds_up_all(members[0].all[i]->collective)) continue;
      Seconds last_begin = begins.at(members[0].rank) + members[0].all[i]->begin,
              first_end = last_begin + members[0].all[i]->duration;
      for (const Calls& c : members) {
        const Seconds begin = begins.at(c.rank) + c.all[i]->begin;
        last_begin = std::max(last_begin, begin), first_end = std::min(first_end, begin + c.all[i]->duration);
      }
      worst = std::max(worst.value_or(last_begin - first_end), last_begin - first_end);
    }
  }
  return worst;
}

}  // namespace

void compare_ranks(RecordedSource& source) {
  for (const auto& [communicator, members] : by_communicator(source)) {
    const std::size_t least = least_of(members);
    std::size_t most = least;
    for (const Calls& c : members) most = std::max(most, c.all.size());
    if (least != most) {
      source.info().truncated = true;
      source.info().notes.push_back("ranks hold " + std::to_string(least) + " to " + std::to_string(most) +
                                    " collectives of communicator " + std::to_string(communicator));
    }
    for (std::size_t i = 0; i < least; ++i) {
      Seconds shortest = members[0].all[i]->duration;
      for (const Calls& c : members) shortest = std::min(shortest, c.all[i]->duration);
      for (const Calls& c : members) c.all[i]->time = std::max(shortest, Seconds(0));
    }
    for (const Calls& c : members)
      for (std::size_t i = least; i < c.all.size(); ++i)
        c.all[i]->time = std::max(c.all[i]->duration, Seconds(0));
  }
}

bool begin_as_recorded(RecordedSource& source, const std::map<Rank, Seconds>& begins) {
  const std::optional<Seconds> apart = disagreement(source, begins);
  if (!apart) return false;
  std::vector<std::string>& notes = source.info().notes;
  if (*apart > Seconds(0)) {
    notes.push_back("the ranks' clocks disagree, by " + text::seconds(apart->value) +
                    " at least: all begin together");
    return false;
  }
  Seconds first = begins.begin()->second, last = first;
  for (const auto& [rank, begin] : begins) first = std::min(first, begin), last = std::max(last, begin);
  if (last == first) return true;
  notes.push_back("ranks begin as recorded, up to " + text::seconds((last - first).value) + " apart");
  for (const auto& [rank, begin] : begins)
    for (int s = 0; begin > first && s < source.streams(rank); ++s) {
      Activity late;
      late.kind = Activity::Kind::pause;
      late.time = begin - first;
      source.at(rank, s).insert(source.at(rank, s).begin(), late);
    }
  return true;
}

}  // namespace collcast
