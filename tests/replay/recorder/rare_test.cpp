// SPDX-License-Identifier: Apache-2.0
#include "tests/replay/recorder/fixture.hpp"

namespace collcast::recorder::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using trace::Event;
using trace::Reader;

TEST(RareCalls, HaveTheirEvents) {
  const Folder folder;
  const Recorded recorded = record_into(folder, mpirun(2, {"rare_calls"}));
  ASSERT_EQ(recorded.application_status, 0);
  const Reader reader(recorded.trace.path);
  EXPECT_THAT(check(reader).errors, IsEmpty());
  EXPECT_THAT(check(reader).notes, IsEmpty());
  const Event large = events_named(reader, 1, "MPI_Send").at(0);
  EXPECT_EQ(std::tuple(large.dest, large.send_bytes, large.datatype_bytes),
            std::tuple(trace::proc_null, std::int64_t{1} << 32, std::int64_t{1} << 32));
  const auto received = events_named(reader, 0, "MPI_Irecv");
  ASSERT_EQ(received.size(), 3u);
  EXPECT_EQ(received[0].source, trace::proc_null);
  EXPECT_EQ(received[1].source, trace::proc_null);
  EXPECT_EQ(received[2].source, 1);
  EXPECT_GE(events_named(reader, 0, "MPI_Test").at(0).polls, 1);
  EXPECT_GE(events_named(reader, 1, "MPI_Recv").back().compute.value, 0.015);
  EXPECT_THAT(reader.metadata().losses,
              ElementsAre(Loss{"MPI_Buffer_detach", 2, "not modelled"},
                          Loss{"MPI_Ibarrier", 2, "on an intercommunicator"},
                          Loss{"MPI_Intercomm_create", 2, "not modelled"},
                          Loss{"MPI_Recv", 1, "on an intercommunicator"},
                          Loss{"MPI_Send", 1, "on an intercommunicator"},
                          Loss{"MPI_Start", 6, "of a request that is not recorded"}));
  EXPECT_EQ(reader.metadata().threads, 2);
}

TEST(RareCalls, SpawnedProcessesAreNotOfTheWorld) {
  const Folder folder;
  testing::internal::CaptureStderr();  // of the third process, which finds no rank's name left
  const Recorded recorded = record_into(folder, mpirun(2, {"rare_calls", "spawn"}));
  testing::internal::GetCapturedStderr();
  ASSERT_EQ(recorded.application_status, 0);
  const Reader reader(recorded.trace.path);
  EXPECT_THAT(check(reader).errors, IsEmpty());
  EXPECT_THAT(reader.metadata().losses,
              ElementsAre(Loss{"MPI_Allreduce", 2, "on a communicator beyond MPI_COMM_WORLD"},
                          Loss{"MPI_Comm_free", 2, "on a communicator beyond MPI_COMM_WORLD"},
                          Loss{"MPI_Comm_spawn", 2, "not modelled"},
                          Loss{"MPI_Intercomm_merge", 2, "on a communicator beyond MPI_COMM_WORLD"}));
}

}  // namespace
}  // namespace collcast::recorder::test
