// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/fabric.hpp"
#include "model/layout.hpp"

namespace collcast {

/// The most loaded link, and how long its bytes take at its full bandwidth: a lower bound of any time.
struct Load {
  Seconds time;
  std::string link;
  LinkId id = no_link;
};
/// The bytes that one rank sends to another in all.
struct PairTraffic {
  Rank from, to;
  Bytes bytes;
};
/// The traffic of a schedule between device memories, each pair of ranks once. Only the first four million
/// messages are read.
std::vector<PairTraffic> traffic(const Schedule& schedule, const Layout& layout);
/// By link, how long these bytes take at its full bandwidth.
std::vector<Seconds> loads(const Fabric& fabric, const std::vector<PairTraffic>& traffic);
/// The heaviest of these loads, which are by link.
Load heaviest(const Fabric& fabric, const std::vector<Seconds>& loads);
Load heaviest(const Fabric& fabric, const std::vector<PairTraffic>& traffic);

}  // namespace collcast
