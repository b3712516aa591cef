// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "forecast/predict.hpp"
#include "platforms/description/load.hpp"

namespace collcast {
namespace {

Seconds mean(const Description& d, Rank ranks, Collective collective, const char* name) {
  return Forecaster(d, ranks).mean_between_barriers(algorithm(collective, name), {.ranks = ranks},
                                                    algorithm(Collective::barrier, "dissemination"));
}

/// A message takes 1 us and its sender none. The root is done at once and hears of rank 1's barrier 1 us
/// after rank 1 hears of its own: it begins the next broadcast 1 us later, and rank 1 waits for 2.
TEST(Mean, WhoWaitsInTheBarrierIsLateForTheNextCall) {
  Description d = load_platform("flat");
  set_all(d, {"protocol.hold=injection", "network.latency_us=1"});
  EXPECT_NEAR(mean(d, 2, Collective::broadcast, "knomial").value, (0 + 2e-6) / 2, 1e-15);
}

/// All leave both at the same time.
TEST(Mean, OfWhatIsSymmetricIsItsTime) {
  Description d = load_platform("flat");
  set_all(d, {"protocol.hold=injection", "network.latency_us=1"});
  EXPECT_NEAR(mean(d, 8, Collective::allreduce, "recursive-doubling").value, 3e-6, 1e-15);
}

}  // namespace
}  // namespace collcast
