// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include "model/units.hpp"

namespace collcast {

/// The result of reading a critical path.
struct PathResult {
  Seconds time;                 ///< when the last rank is done
  std::vector<Seconds> finish;  ///< by rank: when it is done
  std::vector<Seconds> busy;    ///< by port: how long it was occupied
  Seconds reducing;             ///< the longest that any rank reduced
  Seconds paying = {};  ///< the longest that any rank paid overheads, if its messages take turns; else 0
};

constexpr Seconds no_limit(std::numeric_limits<double>::infinity());

}  // namespace collcast
