// SPDX-License-Identifier: Apache-2.0
#include "forecast/explain.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace collcast {
namespace {

/// "node 3 NIC 0 out" is the NIC of a node like others: "node 3 ", "NIC 0 out".
std::pair<std::string, std::string> split(const std::string& link) {
  for (const char* kind : {"node ", "rank "}) {
    if (!link.starts_with(kind)) continue;
    const std::size_t end = link.find(' ', 5);
    if (end != std::string::npos) return {link.substr(0, end + 1), link.substr(end + 1)};
  }
  return {"", link};
}

std::string slowest_link(const Fabric& fabric, Place from, Place to) {
  std::vector<LinkId> route;
  fabric.route(from, to, route);
  if (route.empty()) return "copies";
  const std::vector<Link>& links = fabric.links();
  const LinkId slowest = *std::ranges::min_element(route, {}, [&](LinkId l) { return links[l].bandwidth; });
  return links[slowest].name;
}

std::string name_of(const Fabric& fabric, const Stretch& s) {
  switch (s.cause) {
    case Cause::link:
    case Cause::queue:
      return slowest_link(fabric, s.from, s.to);
    case Cause::overhead:
      return "software";
    default:
      return std::string(name(s.cause));
  }
}

struct Sum {
  Seconds time;
  std::set<std::string> nodes;
};

}  // namespace

std::vector<Share> explanation(const Fabric& fabric, const std::vector<Stretch>& chain, Seconds launch,
                               Seconds total, const std::string& busiest) {
  std::map<std::pair<Cause, std::string>, Sum> sums;
  Seconds rest = total;
  const auto add = [&](Cause cause, const std::string& whose, Seconds time) {
    const auto [node, what] = split(whose);
    Sum& sum = sums[{cause, what}];
    sum.time += time, sum.nodes.insert(node);
    rest -= time;
  };
  if (launch > Seconds(0)) add(Cause::overhead, "launch", launch);
  for (const Stretch& s : chain) add(s.cause, name_of(fabric, s), s.time);
  if (rest > 1e-9 * total) add(Cause::queue, busiest, rest);
  std::vector<Share> shares;
  for (const auto& [key, sum] : sums) {
    const std::string& node = *sum.nodes.begin();
    const std::string others = " of " + std::to_string(sum.nodes.size()) + " " + node.substr(0, 4) + "s";
    shares.push_back({key.first, sum.nodes.size() == 1 ? node + key.second : key.second + others, sum.time});
  }
  std::ranges::stable_sort(shares, [](const Share& a, const Share& b) { return a.time > b.time; });
  return shares;
}

}  // namespace collcast
