// SPDX-License-Identifier: Apache-2.0
#include "forecast/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "support/error.hpp"

namespace collcast::plan {
namespace {

constexpr std::array<std::string_view, 4> aims = {"cost", "energy", "time", "nodes"};

double node_hours(const Candidate& c, Seconds time) {
  return c.nodes * time.value / 3600;
}

double aimed_at(const Candidate& c, Aim aim, Seconds time) {
  switch (aim) {
    case Aim::cost:
      return node_hours(c, time) * *c.price_USD;
    case Aim::energy:
      return node_hours(c, time) * *c.power_W / 1000;
    case Aim::time:
      return time.value;
    case Aim::nodes:
      break;
  }
  return c.nodes;
}

[[noreturn]] void lacks(const Candidate& c, const std::string& what, const std::string& option) {
  throw InputError(c.platform + " does not say what " + what + "; " + option + " " + c.platform + "=X does");
}

void require(const Candidate& c, const Limits& limits, Aim aim) {
  if (!c.price_USD && (aim == Aim::cost || limits.cost_USD)) lacks(c, "a node costs per hour", "--price");
  if (!c.power_W && (aim == Aim::energy || limits.power_W)) lacks(c, "power a node takes", "--power");
}

Judged judged(const Candidate& c, const Limits& limits, Aim aim) {
  Judged j{.candidate = c};
  if (c.price_USD) {
    j.cost_USD = node_hours(c, c.time) * *c.price_USD;
    j.worst_cost_USD = node_hours(c, c.high) * *c.price_USD;
  }
  if (c.power_W) {
    j.power_W = c.nodes * *c.power_W;
    j.energy_kWh = node_hours(c, c.time) * *c.power_W / 1000;
  }
  const double slower = c.high / c.time;
  if (limits.time_s)
    j.margins.push_back({"time", c.time.value / *limits.time_s, c.high.value / *limits.time_s});
  if (limits.efficiency) {
    const double used = *limits.efficiency / c.efficiency;
    j.margins.push_back({"efficiency", used, std::max(used, used * slower / c.slower_alone)});
  }
  if (limits.cost_USD)
    j.margins.push_back({"cost", *j.cost_USD / *limits.cost_USD, *j.worst_cost_USD / *limits.cost_USD});
  if (limits.power_W)
    j.margins.push_back({"power", *j.power_W / *limits.power_W, *j.power_W / *limits.power_W});
  if (c.capacity > Bytes()) j.margins.push_back({"memory", c.memory / c.capacity, c.memory / c.capacity});
  std::ranges::stable_sort(j.margins, std::greater<>(), &Margin::used);
  j.feasible = std::ranges::all_of(j.margins, [](const Margin& m) { return m.used <= 1; });
  j.safe = std::ranges::all_of(j.margins, [](const Margin& m) { return m.used_at_worst <= 1; });
  j.aimed = aimed_at(c, aim, c.time);
  j.aimed_low = aimed_at(c, aim, c.low);
  j.aimed_high = aimed_at(c, aim, c.high);
  return j;
}

}  // namespace

Aim parse_aim(const std::string& text) {
  const auto at = std::ranges::find(aims, text);
  if (at == aims.end()) throw InputError("aim '" + text + "' is not cost, energy, time or nodes");
  return static_cast<Aim>(at - aims.begin());
}

std::string_view name(Aim aim) {
  return aims[static_cast<std::size_t>(aim)];
}

std::string Candidate::name() const {
  std::string words = platform;
  if (!framework.empty()) words += ", " + framework;
  if (!batch.empty()) words += ", batch " + batch;
  if (!global_batch.empty()) words += ", global batch " + global_batch;
  for (const std::string& more : {precision, policy})
    if (!more.empty()) words += ", " + more;
  return words;
}

double shown(double x) {
  if (!(x > 0)) return x;
  const double digit = std::pow(10, std::floor(std::log10(x)) - 2);
  return std::round(x / digit) * digit;
}

std::vector<Judged> judge(const std::vector<Candidate>& candidates, const Limits& limits, Aim aim) {
  std::vector<Judged> all;
  for (const Candidate& c : candidates) {
    if (!c.refused.empty()) {
      all.push_back({.candidate = c});
      continue;
    }
    require(c, limits, aim);
    all.push_back(judged(c, limits, aim));
  }
  const auto every = [&all](std::optional<double> Judged::*of) {
    return std::ranges::all_of(
        all, [of](const Judged& j) { return !j.candidate.refused.empty() || (j.*of).has_value(); });
  };
  const bool priced = every(&Judged::cost_USD), powered = every(&Judged::power_W);
  const auto missed = [](const Judged& j) { return j.margins.empty() ? HUGE_VAL : j.margins[0].used; };
  std::ranges::stable_sort(all, [&](const Judged& a, const Judged& b) {
    if (a.feasible != b.feasible) return a.feasible;
    if (!a.feasible) return missed(a) < missed(b);
    const auto key = [&](const Judged& j) {
      return std::tuple(aim == Aim::nodes ? j.aimed : shown(j.aimed), shown(j.candidate.time.value),
                        priced ? shown(*j.cost_USD) : 0, powered ? shown(*j.power_W) : 0, j.candidate.time);
    };
    return key(a) < key(b);
  });
  return all;
}

bool on_frontier(const std::vector<Judged>& all, const Judged& one) {
  if (!one.candidate.runs() || !one.cost_USD) return false;
  return std::ranges::none_of(all, [&](const Judged& other) {
    return other.cost_USD && other.candidate.runs() && other.candidate.time <= one.candidate.time &&
           *other.cost_USD <= *one.cost_USD &&
           (other.candidate.time < one.candidate.time || *other.cost_USD < *one.cost_USD);
  });
}

}  // namespace collcast::plan
