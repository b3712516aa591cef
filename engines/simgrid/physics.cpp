// SPDX-License-Identifier: Apache-2.0
#include "engines/simgrid/physics.hpp"

#include <vector>

namespace collcast {

std::span<const Physics> physics() {
  static const std::vector<Physics> settings = {
      {"network/model", "CM02",
       "plain flows; the default LV08 multiplies latencies by 13 and bandwidths by 0.97"},
      {"network/crosstraffic", "0",
       "links are directed; the default takes 5 % of the way back for acknowledgements"},
      {"network/TCP-gamma", "1e15", "no TCP window; the default caps a flow at 4 MB per round trip"},
      {"network/latency-factor", "1", "latencies are kept by our own clock"},
      {"network/bandwidth-factor", "1", "platforms state what a message gets"},
      {"network/weight-S", "1", "CM02 never ends flows of weight 0; without latency all weigh the same"},
      {"network/optim", "Lazy", "the fastest, same results"},
      {"network/loopback-lat", "0", "never used: the platform says what a message within a rank costs"},
      {"surf/precision", "1e-12", "seconds; the default merges events closer than 1 ns"},
      {"maxmin/precision", "1e-9", "relative; shares are exact to more than the 1e-6 that we promise"},
  };
  return settings;
}

}  // namespace collcast
