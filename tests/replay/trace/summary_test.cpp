// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/summary.hpp"

#include <sstream>

#include "tests/replay/trace/fixture.hpp"

namespace collcast::trace::test {
namespace {

TEST(TraceSummary, CountsWhatTheTraceHolds) {
  const Folder folder;
  Event alltoallv = event(Op::alltoallv, world);
  alltoallv.send_counts = {1, 2, 3};
  alltoallv.recv_counts = {0, 0, 0};
  alltoallv.duration = Seconds(0.5);
  Event send = message(Op::send, 0, none, 1, 100, 0);
  send.compute = Seconds(0.25);
  write_trace(folder / "t.cct", 3, {send, alltoallv, alltoallv});
  const Summary summary = summarize(Reader(folder / "t.cct"));
  EXPECT_EQ(summary.ranks, 3);
  EXPECT_EQ(summary.events, 9);
  EXPECT_DOUBLE_EQ(summary.compute.value, 0.75);
  EXPECT_DOUBLE_EQ(summary.longest_compute.value, 0.25);
  ASSERT_EQ(summary.operations.size(), 2u);
  EXPECT_EQ(summary.operations[0].operation, "MPI_Alltoallv");
  EXPECT_EQ(summary.operations[0].count, 6);
  EXPECT_EQ(summary.operations[0].bytes, 36);
  EXPECT_EQ(summary.operations[1].operation, "MPI_Isend");
  EXPECT_EQ(summary.operations[1].bytes, 300);
}

TEST(TraceSummary, PrintsLossesAndNotes) {
  const Folder folder;
  write_trace(folder / "t.cct", 1, {event(Op::init)});
  Summary summary = summarize(Reader(folder / "t.cct"));
  summary.notes = {"rank 0: killed"};
  std::ostringstream out;
  out << summary;
  EXPECT_THAT(out.str(), testing::HasSubstr("not modelled: MPI_Put, 3 calls: not modelled"));
  EXPECT_THAT(out.str(), testing::HasSubstr("incomplete: rank 0: killed"));
}

}  // namespace
}  // namespace collcast::trace::test
