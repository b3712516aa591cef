// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <tuple>
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

/// All that a trace of messages and collectives says, activity by activity.
inline void expect_same(const Source& a, const Source& b) {
  ASSERT_EQ(a.ranks(), b.ranks());
  EXPECT_EQ(a.info().recorded_ranks, b.info().recorded_ranks);
  EXPECT_EQ(a.info().losses, b.info().losses);
  EXPECT_EQ(a.communicators(), b.communicators());
  EXPECT_DOUBLE_EQ(a.info().recorded.value, b.info().recorded.value);
  for (Rank r = 0; r < a.ranks(); ++r) {
    const auto of_a = all(a, r), of_b = all(b, r);
    ASSERT_EQ(of_a.size(), of_b.size());
    for (std::size_t i = 0; i < of_a.size(); ++i) {
      const Activity &x = of_a[i], &y = of_b[i];
      const auto what = [](const Activity& v) {
        return std::tuple(v.kind, v.operation, v.call, v.note, v.communicator, v.sized, v.direct,
                          v.synchronous, v.root, v.to, v.from, v.tag, v.received_tag, v.request, v.requests);
      };
      const auto numbers = [](const Activity& v) {
        return std::vector{v.time.value,  v.begin.value,   v.duration.value,
                           v.bytes.value, v.message.value, v.received_bytes.value};
      };
      EXPECT_EQ(what(x), what(y)) << "rank " << r << ", activity " << i;
      EXPECT_EQ(numbers(x), numbers(y)) << "rank " << r << ", activity " << i;
    }
  }
}

}  // namespace collcast::testing
