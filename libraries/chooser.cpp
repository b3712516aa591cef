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
#include "support/meanwhile.hpp"

namespace collcast {
namespace {

/// Calls `act` with the fabric as the members of the request see it.
template <class Act>
auto for_members(const Fabric& fabric, const Request& request, Act act) {
  return request.members.empty() ? act(fabric) : act(MemberFabric(fabric, request.members));
}

Choice fastest_for(const Fabric& fabric, const Request& request) {
  std::vector<const Algorithm*> candidates = common_algorithms(request.collective);
  if (request.direct) std::erase_if(candidates, [](const Algorithm* a) { return !goes_direct(*a); });
  return for_members(fabric, request, [&](const Fabric& f) { return fastest(f, candidates, request.call); });
}

/// Whether data have to be copied to be in host memory.
bool copies_to_host(const Fabric& fabric) {
  const Wire copy = fabric.wire({0, Memory::device}, {0, Memory::host}, Bytes(1));
  return copy.overhead + copy.latency + Bytes(1) * copy.per_byte > Seconds(0);
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

/// A lower bound of the critical path, from the formula if there is one. Messages that switches carry cost no
/// less.
Seconds by_formula_at_least(const Fabric& fabric, const Algorithm& a, const Call& c) {
  constexpr double rounding = 1e-6;
  const auto machine = fabric.hockney();
  if (!machine || !a.time || !c.counts.empty() || !(a.exact || a.bound)) return {};
  return (1 - rounding) / (a.exact ? 1 : a.bound(c.ranks)) * a.time(c, *machine);
}

/// How long the most loaded link takes; 0 if the only links are ports, which the path includes.
Seconds on_links(const Fabric& fabric, const Algorithm& a, const Call& c) {
  if (fabric.hockney()) return {};
  const Schedule schedule = a.schedule(c);
  return heaviest(fabric, traffic(schedule, layout(a, c, schedule))).time;
}

/// Reads candidates, with the best time so far as a limit, and with two threads for many ranks. The order of
/// reading does not change the result. A limit only ends the reading of what is slower. Searches of
/// parameters depend on their limit, so all of a group have the limit that stood before the group.
class FastestSearch {
 public:
  FastestSearch(const Fabric& fabric, const std::vector<const Algorithm*>& candidates, const Call& call,
                const Stated& stated, const std::function<void(const Algorithm&)>& consider)
      : fabric_(fabric), call_(call), stated_(stated), consider_(consider) {
    for (std::size_t place = 0; place < candidates.size(); ++place) {
      const Algorithm& a = *candidates[place];
      if (!unmet(a, call).empty()) continue;
      check(a, call);
      const std::size_t searched = a.segmented && !stated.segment      ? 2
                                   : variants(a, call, stated).empty() ? 0
                                                                       : 1;
      groups_[searched].push_back({length_of(a.schedule(call)), place, &a});
    }
    for (std::vector<Candidate>& group : groups_) std::ranges::stable_sort(group, {}, &Candidate::length);
  }

  Choice run() {
    bound_ = first_bound();
    pass(false);
    bound_ = no_limit;
    if (!best_.algorithm) return best_;
    if (const Seconds busy = on_links(fabric_, *best_.algorithm, best_.call); busy > least_) {
      least_ = busy;
      pass(true);
    }
    return best_;
  }

 private:
  struct Candidate {
    std::int64_t length;
    std::size_t place;
    const Algorithm* algorithm;
    bool was_read = false;
    Call call = {};     ///< with the parameters that were found
    Seconds time = {};  ///< a lower bound, unless exact
    bool exact = false;
  };

  /// If a candidate has very many messages, the time of the shortest one by the call's own parameters, so
  /// that none is read without a limit.
  Seconds first_bound() const {
    constexpr std::int64_t many = 100'000'000;
    const Candidate* shortest = nullptr;
    std::int64_t longest = 0;
    for (const std::vector<Candidate>& group : groups_) {
      if (group.empty()) continue;
      if (!shortest || group.front().length < shortest->length) shortest = &group.front();
      longest = std::max(longest, group.back().length);
    }
    if (longest * call_.ranks < many) return no_limit;
    return path_time(fabric_, *shortest->algorithm, call_, no_limit);
  }

  void pass(bool at_links) {
    for (std::vector<Candidate>& group : groups_) {
      const bool searched = &group != &groups_[0];
      const Seconds before = least_;
      on_both(call_.ranks, group.size(), [&](std::size_t i) {
        Candidate& c = group[i];
        const Seconds now = begin(*c.algorithm), limit = std::min(bound_, searched ? before : now);
        if (!c.was_read || (!c.exact && (searched || c.time <= limit))) read(c, limit);
        const bool by_links = at_links && c.time <= limit;
        take(c, by_links ? std::max(c.time, on_links(fabric_, *c.algorithm, c.call)) : c.time);
      });
    }
  }

  /// Announces a candidate, and returns the least time so far.
  Seconds begin(const Algorithm& a) {
    const std::lock_guard lock(mutex_);
    consider_(a);
    return least_;
  }

  void read(Candidate& c, Seconds limit) const {
    c.was_read = true;
    c.call = with_parameters(fabric_, *c.algorithm, call_, stated_, limit);
    c.time = by_formula_at_least(fabric_, *c.algorithm, c.call);
    if (!(c.time > limit)) c.time = path_time(fabric_, *c.algorithm, c.call, limit);
    c.exact = c.time <= limit;
  }

  void take(const Candidate& c, Seconds time) {
    const std::lock_guard lock(mutex_);
    if (best_.algorithm && !(time < least_ || (time == least_ && c.place < place_))) return;
    best_ = {c.algorithm, c.call}, least_ = time, place_ = c.place;
  }

  const Fabric& fabric_;
  const Call& call_;
  const Stated& stated_;
  const std::function<void(const Algorithm&)>& consider_;
  /// Candidates without parameters to search; with a radix or channels; with segments as well.
  std::array<std::vector<Candidate>, 3> groups_;
  std::mutex mutex_;  ///< guards the members below
  Choice best_;
  Seconds least_ = no_limit, bound_ = no_limit;
  std::size_t place_ = 0;
};

}  // namespace

Occupancy occupancy(const Machine& machine, std::span<const Rank> members) {
  std::unordered_map<int, Rank> on_node;
  if (members.empty())
    for (Rank r = 0; r < machine.ranks(); ++r) ++on_node[machine.node(r)];
  for (const Rank r : members) ++on_node[machine.node(r)];
  const auto ranks = [](const auto& node) { return node.second; };
  const auto [fewest, most] = std::ranges::minmax_element(on_node, {}, ranks);
  const Rank first = members.empty() ? 0 : members.front();
  return {static_cast<Rank>(on_node.size()), ranks(*most), ranks(*fewest), on_node[machine.node(first)]};
}

Chooser named(const Fabric& fabric, const Algorithm& algorithm, std::optional<Bytes> segment) {
  return [&fabric, &algorithm, segment](const Request& request) {
    if (request.direct && !goes_direct(algorithm)) return fastest_for(fabric, request);
    check(algorithm, request.call);
    return for_members(fabric, request, [&](const Fabric& f) {
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
    return for_members(sends, request, [&](const Fabric& f) {
      const bool staged = p.in_host && copies_to_host(f);
      return Choice{staged ? &in_host_memory(a) : &a,
                    segmented(f, a, call, p.segment),
                    p.why,
                    std::string(p.protocol),
                    p.blocking,
                    staged};
    });
  };
}

Choice fastest(const Fabric& fabric, const std::vector<const Algorithm*>& candidates, const Call& call,
               const Stated& stated, const std::function<void(const Algorithm&)>& consider) {
  return FastestSearch(fabric, candidates, call, stated, consider).run();
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
