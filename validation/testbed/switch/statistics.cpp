// SPDX-License-Identifier: Apache-2.0
#include "validation/testbed/switch/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::testbed {

void Statistics::deliver(Seconds by) {
  ++delivered;
  lateness += by;
  max_lateness = std::max(max_lateness, by);
  if (by > Seconds(100e-6)) ++late;
}

std::string json(const Statistics& s, const Fabric& fabric) {
  Json links = Json::array();
  for (std::size_t i = 0; i < fabric.traffic().size(); ++i)
    links.push_back({{"link", fabric.layout().links()[i].name},
                     {"frames", fabric.traffic()[i].frames},
                     {"bytes", std::llround(fabric.traffic()[i].bytes.value)}});
  const double mean = s.delivered == 0 ? 0 : s.lateness.value / static_cast<double>(s.delivered);
  const Json all = {{"frames_delivered", s.delivered},
                    {"lateness_total_us", s.lateness.value * 1e6},
                    {"lateness_mean_us", mean * 1e6},
                    {"lateness_max_us", s.max_lateness.value * 1e6},
                    {"frames_later_than_100_us", s.late},
                    {"datagrams_lost", s.lost},
                    {"frames_refused", s.refused},
                    {"frames_astray", s.strays},
                    {"links", links}};
  return dump(all, 1) + "\n";
}

}  // namespace collcast::testbed
