// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "replay/source/source.hpp"

namespace collcast::testing {

/// A stream's activities.
inline std::vector<Activity> all(const Source& source, Rank rank, int stream = 0) {
  std::vector<Activity> activities;
  Activity a;
  for (const auto s = source.stream(rank, stream); s->next(a);) activities.push_back(a);
  return activities;
}

}  // namespace collcast::testing
