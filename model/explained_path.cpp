// SPDX-License-Identifier: Apache-2.0
#include "model/explained_path.hpp"

#include <utility>

#include "model/path_reading.hpp"
#include "model/representative.hpp"

namespace collcast {
namespace {

template <AnyNetwork Network>
PathResult explain(const Schedule& schedule, const Layout& layout, const Network& network,
                   std::vector<Delay>& chain, std::int64_t messages) {
  Legs legs(messages);
  CriticalPath<Network> path(schedule, layout, network);
  PathResult result = path.run(legs);
  std::uint32_t number = path.last();
  for (auto leg = legs.all().rbegin(); leg != legs.all().rend() && number != 0; ++leg) {
    const TracedClock clock(static_cast<CauseLog::Entry>(leg->before.count()));
    CriticalPath<Network, TracedClock> again(schedule, layout, network, {}, no_limit, clock);
    if (!again.read(*leg)) return chain.clear(), result;
    for (std::int64_t i = 0; i < leg->times && number != 0; ++i) number = again.trace(number, chain);
  }
  return result;
}

}  // namespace

PathResult explained_path(const Schedule& schedule, const Layout& layout, const Fabric& fabric,
                          std::vector<Delay>& chain, std::int64_t leg) {
  // One rank is named for all only where it saves much.
  constexpr std::int64_t many = 400'000;
  if (messages_of(schedule, many) <= many || !has_representative(schedule, layout, fabric))
    return explain(schedule, layout, fabric, chain, leg);
  using One = RepresentativeNetwork<Fabric>;
  PathResult one = explain(representative_schedule(schedule), layout, One(fabric), chain, leg);
  for (Delay& delay : chain) delay.from = {0}, delay.to = {1};
  return of_all(std::move(one), schedule.ranks, fabric.ports());
}

}  // namespace collcast
