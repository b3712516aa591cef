// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "libraries/policy.hpp"

namespace collcast {

/// The collectives of a library's rules, each once, in the order of the rules.
template <class Rules>
std::vector<Collective> collectives_of(const Rules& rules) {
  std::vector<Collective> all;
  for (const auto& rule : rules)
    if (std::ranges::find(all, rule.collective) == all.end()) all.push_back(rule.collective);
  return all;
}

/// The error which says that the policy has rules only for the `ruled` collectives.
NoRule no_rule(std::string_view policy, Collective collective, const std::vector<Collective>& ruled);

}  // namespace collcast
