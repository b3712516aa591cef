// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "replay/formats/formats.hpp"
#include "replay/source/inspection.hpp"
#include "tests/complaint.hpp"
#include "tests/replay/formats/activities.hpp"
#include "tests/replay/formats/trace_files.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;
using samples::goal;
using testing::all;
using GoalTexts = testing::TraceFiles;

TEST_F(GoalTexts, TextsPlayByWhatIsRequired) {
  const auto source = open_source({file("g", goal)});
  EXPECT_EQ(source->info().format, "goal");
  ASSERT_EQ(source->ranks(), 2);
  EXPECT_NEAR(all(*source, 0, 0)[0].time.value, 1e-6, 1e-15);
  EXPECT_EQ(all(*source, 0, 1)[0].kind, Kind::await);
  EXPECT_EQ(all(*source, 0, 1)[1].tag, 5);
  const std::string circle =
      file("c", "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n");
  EXPECT_NE(testing::complaint([&] { open_source({circle}); }).find("circular"), std::string::npos);
  const auto commented = open_source(
      {file("d", "num_ranks 1\nrank 0 {\na: calc 5 // five\nb: calc 6 /* six */ cpu 0 /* b\nends */ }\n")});
  EXPECT_NEAR(inspect(*commented).compute.value, 11e-9, 1e-15);
  const std::string twice = file("twice", "num_ranks 1\nrank 0 {\na: calc 1\na: calc 2\n}\n");
  EXPECT_EQ(testing::complaint([&] { open_source({twice}); }),
            twice + ": line 4: the label a is there twice");
  const std::string comment = file("comment", "num_ranks 1\nrank 0 {\n}\n/* rank 1\n");
  EXPECT_EQ(testing::complaint([&] { open_source({comment}); }),
            comment + ": line 4: the text ends in a comment");
  const std::string any = file("any", "num_ranks 2\nrank 0 {\nl1: recv 8b from -1\n}\n");
  EXPECT_EQ(testing::complaint([&] { open_source({any}); }),
            any + ": line 3: '-1', any rank, where the rank that sends belongs");
  const std::string tag = file("tag", "num_ranks 2\nrank 0 {\nl1: recv 8b from 1 tag -1\n}\n");
  EXPECT_EQ(testing::complaint([&] { open_source({tag}); }),
            tag + ": line 3: '-1', any tag, where the tag of the message belongs");
}

TEST_F(GoalTexts, OperationsWaitForWhatTheyRequireAlone) {
  // l3 computes while l1 is awaited; the send of l4 leaves at once.
  const std::string beside =
      "num_ranks 2\nrank 0 {\nl1: recv 9b from 1\nl2: calc 1\nl2 requires l1\nl3: calc 7\nl4: send 8b to "
      "1\n}\n"
      "rank 1 {\nl1: recv 8b from 0\nl2: calc 1\nl2 requires l1\nl3: calc 7\nl4: send 9b to 0\n}\n";
  const auto source = open_source({file("b", beside)});
  const auto kinds = [&](int stream) {
    std::vector<Kind> found;
    for (const Activity& a : all(*source, 0, stream)) found.push_back(a.kind);
    return found;
  };
  ASSERT_EQ(source->streams(0), 3);
  EXPECT_EQ(kinds(0), (std::vector{Kind::compute, Kind::await, Kind::compute}));
  EXPECT_NEAR(all(*source, 0)[0].time.value, 7e-9, 1e-18);
  EXPECT_EQ(kinds(1), (std::vector{Kind::receive, Kind::wait, Kind::record}));
  EXPECT_EQ(kinds(2), (std::vector{Kind::send, Kind::wait}));
  // Two computations after a message each: neither waits for the other's.
  const std::string two =
      "num_ranks 2\nrank 0 {\na: recv 9b from 1 tag 1\nb: calc 1\nb requires a\nc: recv 9b from 1 tag 2\nd: "
      "calc "
      "1\nd requires c\n}\nrank 1 {\na: send 9b to 0 tag 2\nb: send 9b to 0 tag 1\nb requires a\n}\n";
  const auto apart = open_source({file("t", two)});
  int computing = 0;
  for (int s = 0; s < apart->streams(0); ++s) {
    const auto activities = all(*apart, 0, s);
    const auto computes = std::count_if(activities.begin(), activities.end(),
                                        [](const Activity& a) { return a.kind == Kind::compute; });
    EXPECT_LE(computes, 1);
    computing += computes > 0;
  }
  EXPECT_EQ(computing, 2);
  // Each after the one before: two streams do, however many there are.
  std::string chain = "num_ranks 1\nrank 0 {\n";
  for (int i = 0; i < 100; ++i) {
    const std::string n = std::to_string(i);
    chain += "c" + n + ": calc 5\ns" + n + ": send 1b to 0\nr" + n + ": recv 1b from 0\ns" + n +
             " requires c" + n + "\nr" + n + " requires c" + n + "\n";
    if (i > 0)
      chain += "c" + n + " requires s" + std::to_string(i - 1) + "\nc" + n + " requires r" +
               std::to_string(i - 1) + "\n";
  }
  EXPECT_EQ(open_source({file("l", chain + "}\n")})->streams(0), 3);
}

/// Messages of one tag are matched as if each had its own, whichever stream comes first.
TEST_F(GoalTexts, MessagesOfATagMatchInTheOrderOfTheText) {
  const auto text = [](const std::string& second) {
    return "num_ranks 2\nrank 0 {\nl1: send 2b to 1\nl2: recv 3b from 1\nl3: send 4b to 1 tag " + second +
           "\nl3 requires l2\nl4: recv 5b from 1 tag " + second +
           "\n}\nrank 1 {\nl1: recv 2b from 0\nl2: send 3b to 0\nl2 requires l1\nl3: recv 4b from 0 tag " +
           second + "\nl4: send 5b to 0 tag " + second + "\nl4 requires l3\n}\n";
  };
  const auto tags = [&](const std::string& second) {
    const auto source = open_source({file("g" + second, text(second))});
    std::map<std::pair<Rank, double>, int> found;  // by rank and bytes
    for (const Rank r : {0, 1})
      for (int s = 0; s < source->streams(r); ++s)
        for (const Activity& a : all(*source, r, s))
          if (a.kind == Kind::send)
            found[{r, a.bytes.value}] = a.tag;
          else if (a.kind == Kind::receive)
            found[{r, a.received_bytes.value}] = a.received_tag;
    return found;
  };
  EXPECT_EQ(tags("0"), tags("1"));
  EXPECT_EQ(tags("0").at({1, 4}), 1);
}

}  // namespace
}  // namespace collcast
