// SPDX-License-Identifier: Apache-2.0
#include "platforms/machine/listing.hpp"

#include <algorithm>

#include "platforms/description/load.hpp"
#include "platforms/machine/machine.hpp"

namespace collcast {

PlatformSummary summary(const Description& description) {
  const Blueprint b = read_blueprint(description);
  const std::int64_t ranks = max_ranks(description);
  const Machine machine(description, static_cast<Rank>(std::min<std::int64_t>(ranks, 1 << 20)));
  return {description.name(), description.text(), ranks,
          static_cast<int>(b.of_kind(Blueprint::Vertex::Kind::gpu).size()), machine.stamp()};
}

std::vector<PlatformSummary> list_platforms() {
  std::vector<PlatformSummary> all;
  for (const std::string& name : shipped_platforms()) all.push_back(summary(load_platform(name)));
  return all;
}

}  // namespace collcast
