// SPDX-License-Identifier: Apache-2.0
#include "replay/application/selection.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/error.hpp"

namespace collcast {
namespace {

bool goes_direct(const Algorithm& a) {
  static constexpr std::array<std::string_view, 2> names = {"linear", "pairwise"};
  return std::ranges::find(names, a.name) != names.end();
}

}  // namespace

Selection::Selection(const Fabric& fabric, const std::map<std::string, std::string>& forced)
    : fabric_(fabric) {
  for (const auto& [collective, name] : forced)
    if (const Definition& d = definition(collective); name != "auto")
      forced_[d.collective] = &algorithm(d.collective, name);
}

Selection::Choice Selection::choose(Collective collective, int communicator, const std::vector<Rank>& members,
                                    Call call, bool direct) {
  const auto forced = forced_.find(collective);
  const Algorithm* a = nullptr;
  if (forced != forced_.end() && (!direct || goes_direct(*forced->second))) {
    a = forced->second;
    check(*a, call);
  } else {
    const double eighth = std::round(8 * std::log2(std::max(call.message.value, 1.0)));
    const Algorithm*& decided = decided_[{collective, communicator, static_cast<int>(eighth), direct}];
    if (!decided) {
      Call typical = call;
      typical.root = 0;
      typical.message = Bytes(call.message.value == 0 ? 0 : std::exp2(eighth / 8));
      std::vector<const Algorithm*> candidates = common_algorithms(collective);
      if (direct) std::erase_if(candidates, [](const Algorithm* c) { return !goes_direct(*c); });
      decided = fastest(MemberFabric(fabric_, members), candidates, typical);
    }
    a = decided;
  }
  if (a && a->segmented && call.message.value > 0)
    call.segments = best_segments(*a, call, slowest_paths(MemberFabric(fabric_, members), a->schedule(call)));
  return {a, call};
}

}  // namespace collcast
