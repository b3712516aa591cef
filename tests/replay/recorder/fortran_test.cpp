// SPDX-License-Identifier: Apache-2.0
#include "tests/replay/recorder/fixture.hpp"

namespace collcast::recorder::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using trace::Event;
using trace::Reader;

constexpr int fortran_ranks = 8;

/// The same program through `use mpi` and through `use mpi_f08`; it checks what its calls return, too.
class RecordedFortran : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(std::string(COLLCAST_TEST_PROGRAMS) + "/" + GetParam()))
      GTEST_SKIP() << "no mpifort was found when this was built: Fortran is not tested";
  }
};

void expect_rank(const Reader& reader, int r) {
  const int right = (r + 1) % fortran_ranks, left = (r + fortran_ranks - 1) % fortran_ranks;
  EXPECT_EQ(events_named(reader, r, "MPI_Barrier").size(), 2u);
  const auto bcast = events_named(reader, r, "MPI_Bcast");
  ASSERT_EQ(bcast.size(), 1u);
  EXPECT_EQ(std::tuple(bcast[0].root, bcast[0].send_bytes), std::tuple(2, 16));
  const auto allreduce = events_named(reader, r, "MPI_Allreduce");
  ASSERT_EQ(allreduce.size(), 2u);
  EXPECT_FALSE(allreduce[0].in_place);
  EXPECT_TRUE(allreduce[1].in_place);
  EXPECT_EQ(allreduce[1].send_bytes, 8);
  const auto exchange = events_named(reader, r, "MPI_Sendrecv");
  ASSERT_EQ(exchange.size(), 1u);
  EXPECT_EQ(std::tuple(exchange[0].dest, exchange[0].source), std::tuple(right, left));
  const auto receives = events_named(reader, r, "MPI_Irecv");
  ASSERT_EQ(receives.size(), 2u);
  EXPECT_EQ(std::tuple(receives[1].source, receives[1].recv_tag), std::tuple(left, 7));
  EXPECT_EQ(events_named(reader, r, "MPI_Isend").size(), 2u);
  EXPECT_EQ(events_named(reader, r, "MPI_Waitall").size(), 2u);
  EXPECT_EQ(events_named(reader, r, "MPI_Waitany").size(), 1u);
  EXPECT_EQ(events_named(reader, r, "MPI_Recv").at(0).source, left);
  EXPECT_EQ(events_named(reader, r, "MPI_Iprobe").at(0).polls, 1);
  const auto split = events_named(reader, r, "MPI_Comm_split");
  ASSERT_EQ(split.size(), 1u);
  EXPECT_EQ(reader.communicators().at(static_cast<std::size_t>(split[0].new_comm)),
            (std::vector{r % 2, r % 2 + 2, r % 2 + 4, r % 2 + 6}));
  EXPECT_EQ(events_named(reader, r, "MPI_Comm_free").size(), 1u);
}

TEST_P(RecordedFortran, HasTheKnownEvents) {
  const Folder folder;
  const Recorded recorded = record_into(folder, mpirun(fortran_ranks, {GetParam()}));
  ASSERT_EQ(recorded.application_status, 0);
  EXPECT_THAT(recorded.notes, IsEmpty());
  const Reader reader(recorded.trace.path);
  for (int r = 0; r < fortran_ranks; ++r) expect_rank(reader, r);
  EXPECT_THAT(check(reader).errors, IsEmpty());
  EXPECT_THAT(check(reader).notes, IsEmpty());
  EXPECT_THAT(reader.metadata().losses,
              ElementsAre(Loss{"MPI_Win_create", 8, "not modelled"}, Loss{"MPI_Win_fence", 8, "not modelled"},
                          Loss{"MPI_Win_free", 8, "not modelled"}));
}

INSTANTIATE_TEST_SUITE_P(, RecordedFortran, ::testing::Values("known_calls_mpi", "known_calls_f08"),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace collcast::recorder::test
