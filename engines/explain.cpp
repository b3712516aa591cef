// SPDX-License-Identifier: Apache-2.0
#include "engines/explain.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace collcast {
namespace {

/// A queue is put down to a link only if it is clearly busier, by this factor, than the slowest link of the
/// route.
constexpr double clearly = 1.25;

/// The slowest link of the route, or its busiest link if that is clearly busier. `used`: the use of all
/// links; empty: not known.
std::string limiting_link(const Fabric& fabric, Place from, Place to, const std::vector<Result::Use>& used) {
  std::vector<LinkId> route;
  fabric.route(from, to, route);
  if (route.empty()) return "copies";
  const std::vector<Link>& links = fabric.links();
  const LinkId limit = *std::ranges::min_element(route, {}, [&](LinkId l) { return links[l].bandwidth; });
  if (used.empty()) return fabric.link_name(limit);
  const LinkId busiest = *std::ranges::max_element(route, {}, [&](LinkId l) { return used[l].busy; });
  return fabric.link_name(used[busiest].busy > clearly * used[limit].busy ? busiest : limit);
}

/// Where a message waited, if its delay does not say for which link.
std::string queue_of(const Fabric& fabric, const Delay& s, const std::vector<Result::Use>& links,
                     const std::vector<Result::Use>& ports) {
  if (links.empty() && !ports.empty()) {
    const Wire wire = fabric.wire(s.from, s.to, Bytes(1));
    if (ports[wire.in].busy > clearly * ports[wire.out].busy) return fabric.port_name(wire.in);
  }
  return limiting_link(fabric, s.from, s.to, links);
}

std::string name_of(const Fabric& fabric, const Delay& s, const std::vector<Result::Use>& links,
                    const std::vector<Result::Use>& ports, const std::vector<std::string>& meetings) {
  switch (s.cause) {
    case Cause::link:
      return limiting_link(fabric, s.from, s.to, {});
    case Cause::queue:
      return s.at == no_link ? queue_of(fabric, s, links, ports) : fabric.link_name(s.at);
    case Cause::overhead:
      return "software";
    case Cause::compute:
      return "computation";
    case Cause::collective:
      return meetings.at(static_cast<std::size_t>(s.to.rank));
    default:
      return std::string(name(s.cause));
  }
}

/// The time on each of several corresponding links of nodes or switches, by name.
using Likes = std::map<std::string, Seconds>;

struct Sum {
  Likes likes;
  Seconds moving;
};

/// The link with the longest time; of several, the first.
const std::string& slowest(const Likes& likes) {
  const auto* most = &*likes.begin();
  for (const auto& one : likes)
    if (one.second > most->second * (1 + 1e-9)) most = &one;
  return most->first;
}

}  // namespace

void largest_first(std::vector<Share>& shares) {
  if (shares.empty()) return;
  const Seconds most = std::ranges::max_element(shares, {}, &Share::time)->time;
  std::ranges::stable_sort(shares, std::ranges::greater{},
                           [most](const Share& s) { return std::round(s.time / most * 1e9); });
}

std::vector<Share> explanation(const Fabric& fabric, const std::vector<Delay>& chain, Seconds launch,
                               Seconds total, const std::string& busiest,
                               const std::vector<std::string>& meetings,
                               const std::vector<Result::Use>& links, const std::vector<Result::Use>& ports) {
  std::map<std::pair<Cause, std::string>, Sum> sums;
  Seconds rest = total;
  const auto add = [&](Cause cause, const std::string& whose, Seconds time, Seconds moving = {}) {
    Sum& sum = sums[{cause, alike(whose)}];
    sum.likes[whose] += time, sum.moving += moving;
    rest -= time;
  };
  if (chain.empty() && !(launch > Seconds(0))) return {};
  if (launch > Seconds(0)) add(Cause::overhead, "launch", launch);
  for (const Delay& s : chain) add(s.cause, name_of(fabric, s, links, ports, meetings), s.time, s.moving);
  if (rest > 1e-12 * total) add(Cause::queue, busiest, rest);
  std::vector<Share> shares;
  for (const auto& [key, sum] : sums) {
    Seconds time;
    for (const auto& [name, of_one] : sum.likes) time += of_one;
    if (time > 1e-12 * total)
      shares.push_back({key.first, slowest(sum.likes), time, sum.likes.size(), sum.moving});
  }
  largest_first(shares);
  return shares;
}

}  // namespace collcast
