// SPDX-License-Identifier: Apache-2.0
#include "forecast/unbound.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "forecast/sensitivity.hpp"
#include "platforms/description/blueprint.hpp"
#include "platforms/machine/paths.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

Description edited(const Description& base, const std::vector<std::string>& overrides) {
  Description d = base;
  set_all(d, overrides);
  return d;
}

std::string parameter_of(const std::string& assignment) {
  return assignment.substr(0, assignment.find('='));
}

/// How many links of a kind lie side by side; 1 if that is not the same everywhere.
int side_by_side(const Description& platform, const std::string& kind) {
  const Blueprint b = read_blueprint(platform);
  std::set<int> counts;
  for (const Blueprint::Line& l : b.lines)
    if (b.link_kinds[static_cast<std::size_t>(l.kind)].name == kind) counts.insert(l.count);
  return counts.size() == 1 ? *counts.begin() : 1;
}

/// "pcie4-x8, 15.8 GB/s", "network.bandwidth_GBps, 12.5 GB/s".
std::string figure(const Description& platform, const Parameter& p) {
  static const std::string kinds = "node.link_kinds.";
  const std::string unit = p.unit == "GBps" ? "GB/s" : p.unit;
  if (!p.path.starts_with(kinds) || p.unit != "GBps")
    return p.path + ", " + text::number(p.value) + " " + unit;
  const std::string kind = p.path.substr(kinds.size(), p.path.rfind('.') - kinds.size());
  const int count = side_by_side(platform, kind);
  return kind + (count > 1 ? " x " + std::to_string(count) : "") + ", " + text::number(count * p.value) +
         " " + unit;
}

/// Finds what keeps an override from moving an answer.
class CapSearch {
 public:
  CapSearch(const Description& with, const Description& without, const std::string& parameter,
            const TimesOn& times)
      : with_(with), without_(without), times_(times) {
    std::set<std::string> unused;
    for (const Parameter& p : unused_parameters(with))
      if (!p.path.starts_with("software.nccl.")) unused.insert(p.path);
    unused_ = unused.contains(parameter);
    std::set<std::string> of_both;  // an edit may bring links of another kind, or another network
    for (const Parameter& p : without.parameters()) of_both.insert(p.path);
    for (const Parameter& p : with.parameters())
      if (p.path != parameter && p.value > 0 && (p.unit == "GBps" || p.unit == "us") &&
          !unused.contains(p.path) && of_both.contains(p.path))
        others_.push_back(p);
    for (const Parameter& p : with.parameters())
      if (p.path == parameter && p.value > 0 && (p.unit == "GBps" || p.unit == "us" || p.unit == "share"))
        own_ = p;
  }

  /// No message and no reduction rests on the parameter.
  bool unused() const { return unused_; }
  /// Whether it takes part in the answer: the override would move it if everything else cost nothing, or if
  /// the parameter itself were much worse.
  bool takes_part() const {
    return free_without(others_) || (own_ && moved(times_(with_), times_(scaled(with_, {*own_}, 1e4))));
  }

  /// The parameter that binds in its place: the first one without which the override moves the answer; if
  /// there is none, the one that the answer is most sensitive to.
  std::optional<Parameter> cap() const {
    const std::vector<Parameter> all = binding();
    if (const auto p = freeing(all)) return p;
    if (all.empty()) return {};
    return all.front();
  }
  /// The first parameter without which the override moves the answer; none if there is none.
  std::optional<Parameter> freeing() const { return freeing(binding()); }

 private:
  std::vector<Parameter> binding() const {
    std::vector<Parameter> all;
    const std::vector<std::vector<Elasticity>> found = sensitivity(with_, times_);
    for (const Elasticity& e : found.back()) {
      const auto p = std::ranges::find(others_, e.parameter, &Parameter::path);
      if (p != others_.end()) all.push_back(*p);
    }
    return all;
  }
  std::optional<Parameter> freeing(const std::vector<Parameter>& all) const {
    for (const Parameter& p : all)
      if (free_without({p})) return p;
    return {};
  }
  /// The platform with these parameters scaled so that messages take about `times` as long.
  static Description scaled(const Description& d, const std::vector<Parameter>& parameters, double times) {
    std::vector<std::pair<std::string, double>> values;
    for (const Parameter& p : parameters)
      values.emplace_back(p.path, p.unit == "us" ? p.value * times : p.value / times);
    return with_values(d, values);
  }
  bool free_without(const std::vector<Parameter>& caps) const {
    constexpr double next_to_nothing = 1e-4;
    return moved(times_(scaled(with_, caps, next_to_nothing)),
                 times_(scaled(without_, caps, next_to_nothing)));
  }

  const Description &with_, &without_;
  const TimesOn& times_;
  bool unused_ = false;
  std::vector<Parameter> others_;
  std::optional<Parameter> own_;
};

constexpr std::string_view nccl_costs = "software.nccl.";

/// NCCL's costs that move the answer: ", but on software.nccl.LL.tree_hop_us and software.nccl.LL.launch_us".
std::string nccl_costs_that_move(const Description& with, const TimesOn& times) {
  std::vector<std::string> all;
  const std::vector<std::vector<Elasticity>> found = sensitivity(with, times);
  for (const Elasticity& e : found.back())
    if (e.parameter.starts_with(nccl_costs)) all.push_back(e.parameter);
  std::string list;
  for (std::size_t i = 0; i < all.size(); ++i)
    list += (i == 0 ? ", but on " : i + 1 == all.size() ? " and " : ", ") + all[i];
  return list;
}

/// Why nothing uses a parameter of a tree's level if the first `nodes` nodes share its switches; empty if
/// they do not.
std::string sharing(const Description& platform, const std::string& parameter, Rank nodes) {
  constexpr std::string_view levels = "network.levels.";
  if (!parameter.starts_with(levels)) return {};
  const Blueprint& b = read_blueprint(platform);
  const auto level = static_cast<std::size_t>(parameter[levels.size()] - '0');  // of six at most
  std::int64_t together = b.nodes_per_switch, switches = 1;
  for (std::size_t i = 1; i <= level && i < b.levels.size(); ++i) {
    switches *= b.levels[i].down;
    together = switches / b.switches_per_node * b.nodes_per_switch;
  }
  if (level >= b.levels.size() || nodes < 1 || nodes > together) return {};
  if (nodes == 1) return "all ranks are on one node";
  return "the " + std::to_string(nodes) + " nodes share their switches of the level " + b.levels[level].name;
}

std::string cap(const Description& with, const Description& without, const std::string& parameter,
                const TimesOn& quick, const std::string& limited_by, Rank nodes) {
  if (parameter.starts_with("devices.") && parameter.ends_with(".memory_GiB"))
    return std::string(affects_fit_only);
  if (!quick) return limited_by;
  const CapSearch search(with, without, parameter, quick);
  if (search.unused()) return "nothing: no message and no reduction uses it";
  if (!search.takes_part()) {
    std::string why = sharing(with, parameter, nodes);
    if (why.empty())
      why = parameter == "node.nics" ? "each rank sends by the NIC nearest to it"
                                     : "no time here depends on it";
    const std::string others = parameter.starts_with(nccl_costs) ? nccl_costs_that_move(with, quick) : "";
    return "nothing: " + why + others + "; limited by " + limited_by;
  }
  const auto p = search.cap();
  return p ? figure(with, *p) : limited_by;
}

}  // namespace

std::string binds_instead(const Description& with, const Description& without, const std::string& parameter,
                          const TimesOn& times) {
  const CapSearch search(with, without, parameter, times);
  if (search.unused() || !search.takes_part()) return {};
  const auto p = search.freeing();
  return p ? figure(with, *p) : std::string();
}

std::vector<Unbound> unbound(const Description& base, const std::vector<std::string>& overrides,
                             const std::vector<Seconds>& now, const TimesOn& times, const TimesOn& quick,
                             const std::string& limited_by, Rank nodes) {
  std::vector<Unbound> found;
  const Description with = edited(base, overrides);
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    std::vector<std::string> others = overrides;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    std::optional<Description> without;
    try {
      without = edited(base, others);
      if (moved(now, times(*without))) continue;
    } catch (const InputError&) {
      continue;  // the other overrides make no sense without this one
    }
    const std::string parameter = parameter_of(overrides[i]);
    found.push_back({parameter, cap(with, *without, parameter, quick, limited_by, nodes)});
  }
  return found;
}

}  // namespace collcast
