// SPDX-License-Identifier: Apache-2.0
#include "platforms/network/adaptive_dragonfly.hpp"

namespace collcast {
namespace {

// A switch's links: to the other switches of its chassis and from them, to the other chassis and from them.
constexpr std::int64_t of_a_switch = 4;

}  // namespace

int AdaptiveDragonfly::way(std::int64_t from, std::int64_t to) const {
  if (from / switches_ != to / switches_) return 4;
  return other_blade(from, to) + 2 * other_chassis(from, to);
}

std::vector<Crossing> AdaptiveDragonfly::ways(std::int64_t switches) const {
  if (switches == 1) return {{1}};
  Crossing between{2, {global_trunk}};
  for (const auto& [trunk, exists] :
       {std::pair(local_trunk, blades_ > 1), std::pair(chassis_trunk, blades_ < switches_)})
    if (exists) between.switches += 2, between.trunks.insert(between.trunks.end(), 2, trunk);
  return {{1}, {2, {local_trunk}}, {2, {chassis_trunk}}, {3, {local_trunk, chassis_trunk}}, between};
}

void AdaptiveDragonfly::route(const Trip& trip, LinkId base, std::vector<LinkId>& links) const {
  const auto [from, to] = std::pair(trip.from, trip.to);
  const auto visit = [&](std::int64_t link) { links.push_back(base + static_cast<LinkId>(link)); };
  const bool over = from / switches_ != to / switches_;
  const bool local = over ? blades_ > 1 : other_blade(from, to);
  const bool chassis = over ? blades_ < switches_ : other_chassis(from, to);
  if (local) visit(of_a_switch * from);
  if (chassis) visit(of_a_switch * from + 2);
  if (over) {
    const std::int64_t of_groups = of_a_switch * groups_ * switches_;
    visit(of_groups + 2 * (from / switches_));
    visit(of_groups + 2 * (to / switches_) + 1);
  }
  if (chassis) visit(of_a_switch * to + 3);
  if (local) visit(of_a_switch * to + 1);
}

std::size_t AdaptiveDragonfly::trunk(std::uint64_t link) const {
  if (link >= static_cast<std::uint64_t>(of_a_switch * groups_ * switches_)) return global_trunk;
  return link % of_a_switch < 2 ? local_trunk : chassis_trunk;
}

std::string AdaptiveDragonfly::name(std::uint64_t link) const {
  const auto number = static_cast<std::int64_t>(link), of_groups = of_a_switch * groups_ * switches_;
  const std::int64_t s = number / of_a_switch,
                     g = number < of_groups ? s / switches_ : (number - of_groups) / 2;
  std::string here = "group " + std::to_string(g), others = "other groups";
  if (number < of_groups) {
    here += " switch " + std::to_string(s % switches_);
    others = trunk(link) == local_trunk ? "its group" : "other chassis";
  }
  return number % 2 == 0 ? here + " to " + others : others + " to " + here;
}

}  // namespace collcast
