// SPDX-License-Identifier: Apache-2.0
#include "replay/source/recorded.hpp"

#include "tests/replay/formats/activities.hpp"

namespace collcast {
namespace {

using testing::all, testing::expect_same;

/// Messages, waits for several of them, collectives with parts, and times that all differ.
Activity varied(int i, const std::shared_ptr<const Counts>& parts) {
  Activity a;
  switch (i % 4) {
    case 0:
      a.time = a.duration = Seconds(1e-6 * i);
      break;
    case 1:
      a = message_activity(i % 8 == 1, 0, i % 3, Bytes(i % 5));
      a.request = i;
      break;
    case 2:
      for (int r = 0; r < i % 3; ++r) a.requests.push_back(i - r);
      a.kind = Activity::Kind::wait;
      break;
    default:
      a = collective_activity(i % 8 == 3 ? Collective::alltoall : Collective::broadcast, 0, Bytes(i % 7));
      if (i % 8 == 3) a.counts = parts;
  }
  return a;
}

TEST(Recorded, PackedActivitiesAreTheSame) {
  RecordedSource open(2), packed(2);
  const auto parts = std::make_shared<const Counts>(Counts{{Bytes(1), Bytes(2)}, {}, {}});
  constexpr int count = 3000;  // more than a piece
  for (Rank r = 0; r < 2; ++r)
    for (int i = 0; i < count; ++i) {
      for (RecordedSource* source : {&open, &packed}) source->at(r).push_back(varied(i + r, parts));
      if (i == count / 2) packed.pack(r);
    }
  EXPECT_EQ(packed.at(1).size(), std::size_t{count});  // unpacked again
  packed.pack(0);
  expect_same(open, packed);
  EXPECT_EQ(all(packed, 0)[3].counts, parts);
  EXPECT_EQ(all(packed, 0)[7].counts, nullptr);

  for (RecordedSource* source : {&open, &packed})
    source->edit([](Rank r, int, Activity& a) { a.tag = a.kind == Activity::Kind::send ? 7 + r : a.tag; });
  EXPECT_EQ(all(packed, 0)[1].tag, 7);
  expect_same(open, packed);
}

}  // namespace
}  // namespace collcast
