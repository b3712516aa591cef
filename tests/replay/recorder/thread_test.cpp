// SPDX-License-Identifier: Apache-2.0
#include "tests/replay/recorder/fixture.hpp"
#include "tests/replay/recorder/replayed.hpp"

namespace collcast::recorder::test {
namespace {

using testing::IsEmpty;

TEST(RecordThreads, GoSideBySide) {
  const Folder folder;
  const Recorded recorded = record_into(folder, mpirun(2, {"threads"}));
  if (recorded.application_status == 77) GTEST_SKIP() << "this MPI library has no MPI_THREAD_MULTIPLE";
  ASSERT_EQ(recorded.application_status, 0);
  const trace::Reader reader(recorded.trace.path);
  EXPECT_EQ(reader.metadata().threads, 2);
  EXPECT_THAT(reader.metadata().losses, IsEmpty());
  EXPECT_THAT(check(reader).errors, IsEmpty());
  for (int r = 0; r < 2; ++r)
    for (const trace::Event& e : trace::test::read_rank(reader, r))
      EXPECT_EQ(e.thread, e.op == trace::Op::recv ? 1 : 0);
  const ReplayReport report = replayed(reader);
  EXPECT_FALSE(report.stopped_short);
  EXPECT_THAT(report.notes, testing::Contains(testing::HasSubstr("calls of 2 threads")));
}

}  // namespace
}  // namespace collcast::recorder::test
