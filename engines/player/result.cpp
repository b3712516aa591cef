// SPDX-License-Identifier: Apache-2.0
#include "engines/player/result.hpp"

#include <algorithm>

namespace collcast {

Bottleneck bottleneck(const Result& result, const Fabric& fabric) {
  auto busier = [](const Result::Use& a, const Result::Use& b) { return a.busy < b.busy; };
  const bool by_link = !result.links.empty();
  const auto& uses = by_link ? result.links : result.ports;
  const auto most = std::max_element(uses.begin(), uses.end(), busier);
  if (most == uses.end() || !(most->busy > Seconds(0))) return {};
  const auto i = static_cast<std::uint32_t>(most - uses.begin());
  return {by_link ? fabric.link_name(i) : fabric.port_name(i), most->busy / result.time};
}

}  // namespace collcast
