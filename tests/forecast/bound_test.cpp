// SPDX-License-Identifier: Apache-2.0
// Nothing is faster than the lower bounds of its collective, on any machine that ships.
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "forecast/predict.hpp"
#include "platforms/description/load.hpp"

namespace collcast {
namespace {

using namespace literals;

/// The shipped ones, and one whose software is slower than its links, which several senders share.
std::vector<Description> platforms() {
  std::vector<Description> all;
  for (const std::string& name : shipped_platforms()) all.push_back(load_platform(name));
  all.push_back(load_platform("edr-cluster"));
  set_all(all.back(), {"software.between_nodes.device.bandwidth_GBps=1"});
  return all;
}

TEST(Bound, NoAlgorithmBeatsIt) {
  for (const Description& platform : platforms()) {
    for (const Rank ranks : {2, 3, 8}) {
      if (ranks > max_ranks(platform)) continue;
      const Forecaster forecaster(platform, ranks);
      for (const Algorithm* a : catalogue()) {
        if (!a->supports(ranks) || !forecaster.lacks(*a).empty()) continue;
        for (const Bytes message : {1000_B, 4_MiB}) {
          const Rank node = forecaster.ranks_per_node();
          const Call call{.ranks = ranks, .message = message, .ranks_per_node = ranks % node ? 1 : node};
          const Prediction p = forecaster.predict(*a, call, engine("path"));
          EXPECT_GE(p.time.value, p.lower_bound.value * (1 - 1e-9))
              << full_name(*a) << " on " << platform.name() << ", " << ranks << " ranks, " << message.value
              << " bytes";
        }
      }
    }
  }
}

}  // namespace
}  // namespace collcast
