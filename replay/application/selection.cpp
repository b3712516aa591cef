// SPDX-License-Identifier: Apache-2.0
#include "replay/application/selection.hpp"

#include <algorithm>
#include <cmath>

#include "libraries/policy.hpp"
#include "support/error.hpp"

namespace collcast {

Selection::Selection(const Description& description, const Machine& machine, const Fabric& fabric,
                     const std::string& policy, const std::map<std::string, std::string>& forced)
    : fabric_(fabric), fastest_(fastest_on(fabric)) {
  if (policy != "fastest") {
    check_policy(policy);
    by_policy_ = by_policy(policy, description, machine, fabric);
  }
  for (const auto& [collective, name] : forced)
    if (const Definition& d = definition(collective); name != "auto")
      forced_[d.collective] = named(fabric, algorithm(d.collective, name));
}

Choice Selection::decide(const Request& request, std::string_view name) {
  if (!name.empty()) return named(fabric_, algorithm(request.collective, name), usual_segment)(request);
  const auto forced = forced_.find(request.collective);
  if (forced != forced_.end()) return forced->second(request);
  if (by_policy_) try {
      return by_policy_(request);
    } catch (const InputError& e) {
      notes_.insert(std::string(e.what()) + "; the fastest was taken");
    }
  return fastest_(request);
}

Choice Selection::choose(Collective collective, int communicator, const std::vector<Rank>& members, Call call,
                         bool direct, std::string_view algorithm) {
  const bool exact = !algorithm.empty() || (by_policy_ && !forced_.contains(collective));
  const double eighth = std::round(8 * std::log2(std::max(call.message.value, 1.0)));
  Choice& decided = decided_[{collective, communicator, exact ? call.message.value : eighth, direct,
                              std::string(algorithm)}];
  if (!decided.algorithm) {
    Call typical = call;
    typical.root = 0;
    if (!exact) typical.message = Bytes(call.message.value == 0 ? 0 : std::exp2(eighth / 8));
    decided = decide({collective, members, typical, direct}, algorithm);
    blocking_ = blocking_ || decided.blocking;
  }
  Choice choice = decided;
  choice.call.root = call.root;
  choice.call.message = call.message;
  choice.call.segments = std::clamp<Block>(static_cast<Block>(call.message.value), 1, decided.call.segments);
  return choice;
}

}  // namespace collcast
