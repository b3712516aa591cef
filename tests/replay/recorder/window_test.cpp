// SPDX-License-Identifier: Apache-2.0
#include "replay/recorder/window.hpp"

#include "tests/replay/recorder/fixture.hpp"

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

}  // namespace
}  // namespace collcast::recorder::test
