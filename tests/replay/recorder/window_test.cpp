// SPDX-License-Identifier: Apache-2.0
#include "replay/recorder/window.hpp"

#include "tests/replay/recorder/fixture.hpp"
#include "tests/replay/recorder/replayed.hpp"

namespace collcast::recorder::test {
namespace {

using testing::IsEmpty;

TEST(Window, HoldsItsParts) {
  const Window window("3-5,8-");
  std::string inside;
  for (int place = 0; place < 10; ++place) inside += window.contains(place) ? '1' : '0';
  EXPECT_EQ(inside, "0001100011");
  EXPECT_TRUE(Window().contains(12345));
}

TEST(Window, RefusesWhatIsNone) {
  for (const char* text : {"", "5", "5-3", "5-5", "a-b", "-3", "3-5,", "3-5;6-7", "3-5,,6-7", "3-x"})
    EXPECT_THAT(trace::test::complaint([&] { Window{text}; }), testing::HasSubstr("FIRST-LAST or FIRST-"))
        << text;
}

TEST(Window, LimitsARecording) {
  const Folder folder;
  setenv("COLLCAST_RECORDER", COLLCAST_RECORDER_LIBRARY, 1);
  // known_calls begins with barrier, bcast, reduce, allreduce on the world.
  const Recorded recorded = record_run({folder.path(), mpirun(8, {"known_calls"}), "1-3"});
  const trace::Reader reader(recorded.trace.path);
  std::vector<std::string> names;
  const auto events = trace::test::read_rank(reader, 5);
  for (const auto& event : events) names.push_back(trace::short_name(event.op));
  EXPECT_THAT(names, testing::ElementsAre("init", "bcast", "reduce", "finalize"));
  EXPECT_EQ(reader.metadata().window, "1-3");
  // Outside it are what known_calls computes before MPI_Finalize, and its calls that are not modelled.
  EXPECT_EQ(events.back().compute.value, 0);
  EXPECT_THAT(reader.metadata().losses, IsEmpty());
  EXPECT_THAT(recorded.notes, IsEmpty());
  EXPECT_THAT(check(reader).errors, IsEmpty());
}

/// The program `edges`, whose messages are under way at all edges, in a window: what is in it can be played.
void expect_playable(const std::string& window, const std::string& how, std::size_t waits) {
  SCOPED_TRACE(window + " " + how);
  const Folder folder;
  setenv("COLLCAST_RECORDER", COLLCAST_RECORDER_LIBRARY, 1);
  const Recorded recorded = record_run({folder.path(), mpirun(2, {"edges", how}), window});
  ASSERT_EQ(recorded.application_status, 0);
  EXPECT_THAT(recorded.notes, IsEmpty());
  const trace::Reader reader(recorded.trace.path);
  EXPECT_THAT(check(reader).errors, IsEmpty());
  EXPECT_EQ(events_named(reader, 0, "MPI_Waitall").size(), waits);
  EXPECT_FALSE(replayed(reader).stopped_short);
}

TEST(Window, MayHaveMessagesUnderWayAtItsEdges) {
  for (const char* how : {"named", "any"}) {
    expect_playable("3-5", how, 2);
    expect_playable("0-1", how, 0);
    expect_playable("7-", how, 2);
    expect_playable("1-2,4-5", how, 2);
  }
}

// In each step but the last a message of tag 2 and the barrier cross the end of the window, and as many its
// begin; the receives of tag 1 that were posted before it find their messages in it.
TEST(Window, CountsWhatItsEdgesCut) {
  const Folder folder;
  setenv("COLLCAST_RECORDER", COLLCAST_RECORDER_LIBRARY, 1);
  const Recorded recorded = record_run({folder.path(), mpirun(2, {"edges"}), "3-5"});
  const trace::Reader reader(recorded.trace.path);
  EXPECT_THAT(reader.metadata().losses,
              testing::ElementsAre(Loss{"MPI_Ibarrier", 2, "began outside the window"},
                                   Loss{"messages", 2, "received in the window and sent outside it"},
                                   Loss{"messages", 2, "sent in the window and received outside it"}));
}

TEST(Window, SaysThatNothingLiesInIt) {
  const Folder folder;
  setenv("COLLCAST_RECORDER", COLLCAST_RECORDER_LIBRARY, 1);
  const Recorded recorded = record_run({folder.path(), mpirun(2, {"edges"}), "100-"});
  EXPECT_THAT(recorded.remarks, testing::SizeIs(1));
  const trace::Reader reader(recorded.trace.path);
  EXPECT_THAT(replayed(reader).notes,
              testing::Contains(testing::HasSubstr("no call lies in the window 100-")));
}

}  // namespace
}  // namespace collcast::recorder::test
