// SPDX-License-Identifier: Apache-2.0
#include "replay/application/selection.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "libraries/policy.hpp"
#include "model/sizes.hpp"
#include "support/error.hpp"

namespace collcast {

Selection::Selection(const Description& description, const Machine& machine, const Fabric& fabric,
                     const std::string& policy, const std::map<std::string, std::string>& forced)
    : fabric_(fabric), fastest_(fastest_on(fabric)) {
  if (policy != "fastest") {
    check_policy(policy);
    by_policy_ = by_policy(policy, description, machine, fabric);
  }
  for (const auto& [what, name] : forced) {
    const auto at = what.find('@');
    const Definition& d = definition(what.substr(0, at));
    const Bytes from = at == std::string::npos ? Bytes() : parse_size(what.substr(at + 1));
    Named chosen;
    if (name != "auto")
      chosen.algorithm = name, chosen.chooser = named(fabric, algorithm(d.collective, name));
    chosen.as_written = what + "=" + name;
    if (!forced_[d.collective].emplace(from, chosen).second)
      throw InputError(what + "=" + name + ": these messages have an algorithm already");
  }
}

const Selection::Named* Selection::forced(Collective collective, Bytes message) const {
  const auto all = forced_.find(collective);
  if (all == forced_.end()) return nullptr;
  const auto above = all->second.upper_bound(message);
  if (above == all->second.begin()) return nullptr;
  const Named& named = std::prev(above)->second;
  named.used = true;
  return named.algorithm.empty() ? nullptr : &named;
}

const std::string& Selection::named_by_user(Collective collective, Bytes message) const {
  static const std::string none;
  const Named* named = forced(collective, message);
  return named ? named->algorithm : none;
}

std::vector<std::string> Selection::unused() const {
  std::vector<std::string> all;
  for (const auto& [collective, by_size] : forced_)
    for (const auto& [from, named] : by_size)
      if (!named.used) all.push_back(named.as_written);
  return all;
}

/// Whether the choice may differ between neighbouring sizes.
bool Selection::exact(Collective collective, Bytes message) const {
  const auto all = forced_.find(collective);
  const bool sized = all != forced_.end() && all->second.rbegin()->first > Bytes();
  return sized || (by_policy_ && !forced(collective, message));
}

Choice Selection::decide(const Request& request, std::string_view name) {
  if (!name.empty()) return named(fabric_, algorithm(request.collective, name), usual_segment)(request);
  if (const Named* named = forced(request.collective, request.call.message)) return named->chooser(request);
  if (by_policy_) try {
      return by_policy_(request);
    } catch (const NoRule& e) {
      if (common_algorithms(request.collective).size() > 1)
        notes_.insert(std::string(e.what()) + "; the fastest was taken");
    }
  return fastest_(request);
}

Choice Selection::choose(Collective collective, int communicator, const std::vector<Rank>& members,
                         const Call& call, bool direct, std::string_view algorithm) {
  const bool own = !algorithm.empty() || exact(collective, call.message);
  const double eighth = std::round(8 * std::log2(std::max(call.message.value, 1.0)));
  Choice& decided =
      decided_[{collective, communicator, own ? call.message.value : eighth, direct, std::string(algorithm)}];
  if (!decided.algorithm) {
    Call typical = call;
    typical.root = 0;
    if (!own) typical.message = Bytes(call.message.value == 0 ? 0 : std::exp2(eighth / 8));
    decided = decide({collective, members, typical, direct}, algorithm);
    blocking_ = blocking_ || decided.blocking;
  }
  Choice choice = decided;
  choice.call.root = call.root;
  choice.call.message = call.message;
  return choice;
}

}  // namespace collcast
