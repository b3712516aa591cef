// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <csignal>

#include "tests/replay/recorder/fixture.hpp"

namespace collcast::recorder::test {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using trace::Reader;

TEST(RecordFailure, KilledRunIsReadableUpToItsEnd) {
  const Folder folder;
  const Recorded recorded = record_into(folder, mpirun(2, {"storm", "kill"}));
  EXPECT_NE(recorded.application_status, 0);
  EXPECT_THAT(recorded.notes, Each(HasSubstr("the application was killed or aborted")));
  ASSERT_THAT(recorded.notes, Not(IsEmpty()));
  const Reader reader(recorded.trace.path);
  EXPECT_TRUE(reader.truncated());
  EXPECT_EQ(trace::test::read_rank(reader, 0).size(), 50'002u);
}

// It has no destructors, and nobody tells the recorder of it.
TEST(RecordFailure, LeavingAtOnceKeepsWhatWasRecorded) {
  const Folder folder;
  const Recorded recorded = record_into(folder, mpirun(1, {"storm", "leave"}));
  EXPECT_EQ(recorded.application_status, 3);
  EXPECT_EQ(Reader(recorded.trace.path).events(0), 50'002);
}

TEST(RecordFailure, SignalsReachTheApplicationAndTheTraceStays) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const Folder folder;
    const Recorded recorded =
        record_into(folder, mpirun(2, {"storm", std::to_string(signal), std::to_string(getpid())}));
    EXPECT_EQ(recorded.application_status, 128 + signal);
    EXPECT_THAT(recorded.notes, SizeIs(2));
    EXPECT_GE(Reader(recorded.trace.path).events(0), 50'002);
  }
}

TEST(RecordFailure, FullDiskEndsTheRecordingAndNotTheApplication) {
  const Folder folder;
  testing::internal::CaptureStderr();
  const Recorded recorded = record_into(folder, mpirun(2, {"storm", "limit"}));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(recorded.application_status, 0);
  EXPECT_THAT(said, HasSubstr("recording stops here, the application goes on"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_EQ(recorded.notes.size(), 2u);
  EXPECT_THAT(recorded.notes, Each(HasSubstr("the disk was full")));
  const Reader reader(recorded.trace.path);
  EXPECT_GT(trace::test::read_rank(reader, 1).size(), 1'000u);
  EXPECT_LT(reader.events(1), 180'000);
}

TEST(RecordFailure, LeavingWithoutFinalizeKeepsWhatWasRecorded) {
  const Folder folder;
  const Recorded recorded = record_into(folder, mpirun(1, {"storm", "exit"}));
  EXPECT_EQ(recorded.application_status, 3);
  EXPECT_EQ(Reader(recorded.trace.path).events(0), 50'002);
}

TEST(RecordFailure, AbortKeepsWhatTheAbortingRankRecorded) {
  const Folder folder;
  const Recorded recorded = record_into(folder, mpirun(2, {"storm", "abort"}));
  EXPECT_EQ(recorded.application_status, 4);
  EXPECT_EQ(Reader(recorded.trace.path).events(0), 50'002);
}

TEST(RecordFailure, ForkedChildWritesNothing) {
  const Folder folder;
  const Recorded recorded = record_into(folder, mpirun(1, {"storm", "fork"}));
  EXPECT_EQ(recorded.application_status, 0);
  EXPECT_THAT(recorded.notes, IsEmpty());
  EXPECT_EQ(Reader(recorded.trace.path).events(0), 60'002);
}

}  // namespace
}  // namespace collcast::recorder::test
