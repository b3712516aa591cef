// SPDX-License-Identifier: Apache-2.0
#include "replay/application/selection.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "support/error.hpp"

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

Choice Selection::choose(Collective collective, int communicator, const std::vector<Rank>& members, Call call,
                         bool direct) {
  std::vector<const Algorithm*> candidates = common_algorithms(collective);
  const auto forced = forced_.find(collective);
  if (forced != forced_.end() && (!direct || goes_direct(*forced->second)))
    check(*forced->second, call), candidates = {forced->second};
  else if (direct)
    std::erase_if(candidates, [](const Algorithm* c) { return !goes_direct(*c); });
  const double eighth = std::round(8 * std::log2(std::max(call.message.value, 1.0)));
  Choice& decided = decided_[{collective, communicator, static_cast<int>(eighth), direct}];
  if (!decided.algorithm) {
    Call typical = call;
    typical.root = 0;
    typical.message = Bytes(call.message.value == 0 ? 0 : std::exp2(eighth / 8));
    decided = fastest(MemberFabric(fabric_, members), candidates, typical);
  }
  call.segments = std::clamp<Block>(static_cast<Block>(call.message.value), 1, decided.call.segments);
  return {decided.algorithm, call};
}

}  // namespace collcast
