// SPDX-License-Identifier: Apache-2.0
#include "libraries/chooser.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "libraries/policy.hpp"
#include "model/critical_path.hpp"
#include "model/load.hpp"
#include "model/repeats.hpp"
#include "model/staging.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

/// The fabric as the members of a request see it.
template <class Act>
auto seen(const Fabric& fabric, const Request& request, Act act) {
  return request.members.empty() ? act(fabric) : act(MemberFabric(fabric, request.members));
}

Choice fastest_for(const Fabric& fabric, const Request& request) {
  std::vector<const Algorithm*> candidates = common_algorithms(request.collective);
  if (request.direct) std::erase_if(candidates, [](const Algorithm* a) { return !goes_direct(*a); });
  return seen(fabric, request, [&](const Fabric& f) { return fastest(f, candidates, request.call); });
}

/// The situation for each occupancy, computed once.
class Situations {
 public:
  Situations(std::string policy, Description description, const Machine& machine)
      : policy_(std::move(policy)), description_(std::move(description)), machine_(machine) {}

  const Situation& of(const Request& request) {
    const Occupancy s = occupancy(machine_, request.members);
    const auto [found, is_new] = known_.try_emplace(s);
    if (is_new) found->second = situation(description_, s, policy_);
    return found->second;
  }
  Pick pick(const Request& request) {
    return collcast::pick(policy_, request.collective, request.call, of(request));
  }

 private:
  std::string policy_;
  Description description_;
  const Machine& machine_;
  std::map<Occupancy, Situation> known_;
};

/// A rough length of a schedule: its number of steps, or a rank's messages in the first step if these are
/// more.
std::int64_t length_of(const Schedule& schedule) {
  if (schedule.steps == 0) return 0;
  if (const SymmetricRule* alike = symmetric_rule(schedule))
    return std::max(schedule.steps, (*alike)(0).messages);
  Step first;
  schedule.rule(0, first);
  return std::max(schedule.steps, messages_of(first) / schedule.ranks);
}

/// A lower bound of the critical path by the formula; messages that switches carry cost no less.
Seconds by_formula_at_least(const Fabric& fabric, const Algorithm& a, const Call& c) {
  constexpr double rounding = 1e-6;
  const auto machine = fabric.hockney();
  if (!machine || !a.time || !c.counts.empty() || !(a.exact || a.bound)) return {};
  return (1 - rounding) / (a.exact ? 1 : a.bound(c.ranks)) * a.time(c, *machine);
}

/// How long the most loaded link takes; no time where the only links are ports, which are on the path.
Seconds on_links(const Fabric& fabric, const Algorithm& a, const Call& c) {
  if (fabric.hockney()) return {};
  const Schedule schedule = a.schedule(c);
  return heaviest(fabric, traffic(schedule, layout(a, c, schedule))).time;
}

}  // namespace

Occupancy occupancy(const Machine& machine, std::span<const Rank> members) {
  std::unordered_map<int, Rank> on_node;
  if (members.empty())
    for (Rank r = 0; r < machine.ranks(); ++r) ++on_node[machine.node(r)];
  for (const Rank r : members) ++on_node[machine.node(r)];
  const auto ranks = [](const auto& node) { return node.second; };
  const auto [fewest, most] = std::ranges::minmax_element(on_node, {}, ranks);
  return {static_cast<Rank>(on_node.size()), ranks(*most), ranks(*fewest)};
}

Chooser named(const Fabric& fabric, const Algorithm& algorithm, std::optional<Bytes> segment) {
  return [&fabric, &algorithm, segment](const Request& request) {
    if (request.direct && !goes_direct(algorithm)) return fastest_for(fabric, request);
    check(algorithm, request.call);
    return seen(fabric, request, [&](const Fabric& f) {
      return Choice{&algorithm, segment ? segmented(algorithm, request.call, *segment)
                                        : with_parameters(f, algorithm, request.call)};
    });
  };
}

Chooser fastest_on(const Fabric& fabric) {
  return [&fabric](const Request& request) { return fastest_for(fabric, request); };
}

Chooser by_policy(std::string policy, const Description& description, const Machine& machine,
                  const Fabric& fabric, const Fabric* blocking) {
  const auto situations = std::make_shared<Situations>(std::move(policy), description, machine);
  return [situations, &fabric, blocking](const Request& request) {
    const Pick p = situations->pick(request);
    const Algorithm& a = algorithm(request.collective, p.algorithm);
    if (request.direct && !goes_direct(a)) {
      Choice choice = fastest_for(fabric, request);
      choice.why = p.why + "; but no rank knows all sizes, so blocks go straight";
      return choice;
    }
    Call call = request.call;
    if (a.radix) call.radix = p.radix;
    if (a.channels) call.channels = p.channels;
    const Fabric& sends = p.blocking && blocking ? *blocking : fabric;
    return seen(sends, request, [&](const Fabric& f) {
      const Algorithm& played = p.in_host ? in_host_memory(a) : a;
      return Choice{&played, segmented(f, a, call, p.segment), p.why, std::string(p.protocol), p.blocking};
    });
  };
}

Choice fastest(const Fabric& fabric, const std::vector<const Algorithm*>& candidates, const Call& call,
               const Stated& stated, const std::function<void(const Algorithm&)>& consider) {
  struct Candidate {
    bool searched;  ///< its segments are searched, which takes long: read last, with the others' time as a
                    ///< limit
    std::int64_t length;
    std::size_t place;
    auto operator<=>(const Candidate&) const = default;
  };
  std::vector<Candidate> able;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!unmet(*candidates[i], call).empty()) continue;
    check(*candidates[i], call);
    able.push_back(
        {candidates[i]->segmented && !stated.segment, length_of(candidates[i]->schedule(call)), i});
  }
  std::ranges::sort(able);
  Choice best;
  Seconds least = no_limit;
  std::size_t first = 0;
  struct Read {
    Call call;
    Seconds time;  ///< at least, if it is not exact
    bool exact;
  };
  std::vector<std::optional<Read>> known(candidates.size());  // by place
  const auto read = [&](const Algorithm& a, std::optional<Read>& before) {
    const bool searched = a.segmented || !variants(a, call, stated).empty();  // which ends early out of reach
    if (before && (before->exact || (!searched && before->time > least))) return *before;
    const Call c = with_parameters(fabric, a, call, stated, least);
    Seconds time = by_formula_at_least(fabric, a, c);
    if (!(time > least)) time = path_time(fabric, a, c, least);
    before = Read{c, time, time <= least};
    return *before;
  };
  const auto look = [&](bool at_links) {
    for (const auto [searched, length, place] : able) {
      const Algorithm& a = *candidates[place];
      consider(a);
      auto [c, time, exact] = read(a, known[place]);
      if (at_links && time <= least) time = std::max(time, on_links(fabric, a, c));
      if (best.algorithm && !(time < least || (time == least && place < first))) continue;
      best = {&a, c}, least = time, first = place;
    }
  };
  look(false);
  if (!best.algorithm) return best;
  if (const Seconds busy = on_links(fabric, *best.algorithm, best.call); busy > least) {
    least = busy;
    look(true);
  }
  return best;
}

const Algorithm& in_host_memory(const Algorithm& a) {
  static std::mutex making;
  static std::map<const Algorithm*, Algorithm> made;
  const std::lock_guard lock(making);
  const auto [found, is_new] = made.try_emplace(&a, a);
  Algorithm& there = found->second;
  if (!is_new) return there;
  there.name += " in host memory";
  there.formula = {}, there.time = {};
  there.schedule = [&a](const Call& c) {
    return staged(a.schedule(c), definition(a.collective), c.root, Memory::host);
  };
  return there;
}

std::vector<const Algorithm*> common_algorithms(Collective collective) {
  std::vector<const Algorithm*> common = algorithms(collective);
  std::erase_if(common, [](const Algorithm* a) {
    const Demands d = demands(*a);
    return d.multicast || d.reduction;
  });
  return common;
}

bool goes_direct(const Algorithm& a) {
  static constexpr std::array<std::string_view, 2> names = {"linear", "pairwise"};
  return std::ranges::find(names, a.name) != names.end();
}

}  // namespace collcast
