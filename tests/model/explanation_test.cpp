// SPDX-License-Identifier: Apache-2.0
#include "model/explanation.hpp"

#include <gtest/gtest.h>

#include <random>

namespace collcast {
namespace {

/// Five ranks whose delays follow their own or another rank's, and that wait for a port which one of them
/// held.
struct Late {
  CauseLog log;
  std::vector<CauseLog::Entry> why{0, 0, 0, 0, 0};
  CauseLog::Hold last = 0;

  void step(std::mt19937& random) {
    const auto drawn = [&] { return random() % why.size(); };
    const std::size_t rank = drawn(), other = drawn();
    const auto place = static_cast<Rank>(rank);
    const Seconds time(1 + random() % 8);
    switch (random() % 3) {
      case 0:
        why[rank] = log.add(why[other], time, Cause::latency, static_cast<Rank>(other), place);
        break;
      case 1:
        last = log.hold(random() % 4 ? last : 0, time, 0.5 * time, static_cast<LinkId>(rank));
        break;
      default:
        why[rank] = log.add_wait(why[rank], time, last, place, place);
    }
  }
  void keep() {
    std::vector<CauseLog::Entry*> entries;
    for (CauseLog::Entry& entry : why) entries.push_back(&entry);
    log.keep(entries, std::vector{&last});
  }
};

TEST(CauseLog, KeepsWhatLedToThePresent) {
  Late all, tidied;
  std::mt19937 random(1), same(1);
  for (int step = 1; step <= 3000; ++step) {
    all.step(random), tidied.step(same);
    if (step % 500 == 0) tidied.keep();
  }
  for (std::size_t rank = 0; rank < all.why.size(); ++rank) {
    EXPECT_GT(all.log.chain(all.why[rank]).size(), 100u);
    EXPECT_EQ(tidied.log.chain(tidied.why[rank]), all.log.chain(all.why[rank])) << rank;
  }
  EXPECT_LT(tidied.why[0], all.why[0] / 2);  // the others are forgotten
}

TEST(CauseLog, HasRoomForTwiceWhatItKept) {
  CauseLog log;
  CauseLog::Entry last = 0;
  const auto until_crowded = [&] {
    int added = 0;
    for (; !log.crowded(); ++added) last = log.add(last, Seconds(1), Cause::compute, 0, 0);
    return added;
  };
  const int first = until_crowded();
  log.keep(std::vector{&last}, {});
  EXPECT_FALSE(log.crowded());
  EXPECT_NEAR(until_crowded(), first, 4);
  CauseLog::Entry none = 0;
  log.keep(std::vector{&none}, {});
  EXPECT_NEAR(until_crowded(), first, 4);
}

}  // namespace
}  // namespace collcast
