// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/fabric.hpp"
#include "model/layout.hpp"

namespace collcast {

/// The link that carries most for its rate, and how long that takes: no time is less. `pairs` of ranks and
/// the bytes that they send each other in all.
struct Load {
  Seconds time;
  std::string link;
};
struct Pair {
  Rank from, to;
  Bytes bytes;
};
Load heaviest(const Fabric& fabric, const std::vector<Pair>& pairs);
/// Of a schedule's messages between device memories, the first four million of them.
Load heaviest(const Fabric& fabric, const Schedule& schedule, const Layout& layout);

}  // namespace collcast
