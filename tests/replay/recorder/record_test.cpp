// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "tests/replay/recorder/fixture.hpp"

namespace collcast::recorder::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using trace::Event;
using trace::Op;
using trace::Reader;
using trace::Reduction;

constexpr int ranks = 8;

/// One recording of known_calls, read by every test.
class RecordedProgram : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<Folder>();
    recorded_ = record_into(*folder_, mpirun(ranks, {"known_calls"}));
    reader_ = std::make_unique<Reader>(recorded_.trace.path);
  }
  static void TearDownTestSuite() {
    reader_.reset();
    folder_.reset();
  }

  static Event only(int rank, const std::string& name, std::size_t which = 0, std::size_t of = 1) {
    const auto events = events_named(*reader_, rank, name);
    EXPECT_EQ(events.size(), of) << name << " on rank " << rank;
    return which < events.size() ? events[which] : Event{};
  }
  static const std::vector<int>& members(trace::CommId comm) {
    return reader_->communicators().at(static_cast<std::size_t>(comm));
  }

  static inline std::unique_ptr<Folder> folder_;
  static inline Recorded recorded_;
  static inline std::unique_ptr<Reader> reader_;
};

TEST_F(RecordedProgram, IsCompleteAndConsistent) {
  EXPECT_EQ(recorded_.application_status, 0);
  EXPECT_EQ(recorded_.trace.ranks, ranks);
  EXPECT_THAT(recorded_.notes, IsEmpty());
  EXPECT_THAT(check(*reader_).errors, IsEmpty());
  EXPECT_THAT(check(*reader_).notes, IsEmpty());
  EXPECT_THAT(reader_->metadata().command, testing::HasSubstr("known_calls"));
  EXPECT_FALSE(std::filesystem::exists(*folder_ / "ranks"));
}

TEST_F(RecordedProgram, RootedCollectives) {
  for (int r = 0; r < ranks; ++r) {
    const Event bcast = only(r, "MPI_Bcast", 0, 2);
    EXPECT_EQ(bcast.root, 3);
    EXPECT_EQ(bcast.send_bytes, 80);
    const Event reduce = only(r, "MPI_Reduce");
    EXPECT_EQ(reduce.root, 2);
    EXPECT_EQ(reduce.send_bytes, 8);
    EXPECT_EQ(reduce.recv_bytes, r == 2 ? 8 : 0);
    EXPECT_EQ(reduce.reduction, Reduction::max);
    const Event gather = only(r, "MPI_Gather");
    EXPECT_EQ(gather.send_bytes, 8);
    EXPECT_EQ(gather.recv_bytes, r == 1 ? 8 : 0);
    EXPECT_EQ(only(r, "MPI_Scatter").send_bytes, r == 1 ? 8 : 0);
  }
}

TEST_F(RecordedProgram, SymmetricCollectives) {
  for (int r = 0; r < ranks; ++r) {
    const Event allreduce = only(r, "MPI_Allreduce");
    EXPECT_EQ(allreduce.send_bytes, 8);
    EXPECT_EQ(allreduce.datatype_bytes, 8);
    EXPECT_TRUE(allreduce.in_place);
    EXPECT_EQ(allreduce.reduction, Reduction::sum);
    EXPECT_EQ(only(r, "MPI_Allgather").recv_bytes, 8);
    EXPECT_EQ(only(r, "MPI_Alltoall").send_bytes, 16);
    EXPECT_EQ(only(r, "MPI_Reduce_scatter").send_bytes, 64);
    EXPECT_EQ(only(r, "MPI_Reduce_scatter_block").recv_bytes, 16);
    EXPECT_EQ(only(r, "MPI_Scan").send_bytes, 8);
    EXPECT_EQ(only(r, "MPI_Exscan").send_bytes, 8);
  }
}

TEST_F(RecordedProgram, CountsPerPeer) {
  const std::vector<std::int64_t> by_rank = {0, 8, 16, 24, 32, 40, 48, 56};
  for (int r = 0; r < ranks; ++r) {
    std::vector<std::int64_t> expected;
    for (int i = 0; i < ranks; ++i) expected.push_back((r + i) % 3 * 8);
    EXPECT_EQ(only(r, "MPI_Alltoallv").send_counts, expected);
    EXPECT_EQ(only(r, "MPI_Alltoallv").recv_counts, expected);
    EXPECT_EQ(only(r, "MPI_Allgatherv").recv_counts, by_rank);
    EXPECT_EQ(only(r, "MPI_Gatherv").send_bytes, 8 * r);
    EXPECT_EQ(only(r, "MPI_Gatherv").recv_counts, r == 0 ? by_rank : std::vector<std::int64_t>{});
    EXPECT_EQ(only(r, "MPI_Scatterv").send_counts, r == 0 ? by_rank : std::vector<std::int64_t>{});
  }
}

TEST_F(RecordedProgram, NonblockingCollectivesAndTheirWait) {
  for (int r = 0; r < ranks; ++r) {
    const Event allreduce = only(r, "MPI_Iallreduce"), barrier = only(r, "MPI_Ibarrier");
    const Event wait = only(r, "MPI_Waitall", 0, 4);
    EXPECT_THAT(wait.completed,
                ElementsAre(trace::Completion{allreduce.request}, trace::Completion{barrier.request}));
  }
}

TEST_F(RecordedProgram, MessagesWithWildcardsResolved) {
  for (int r = 0; r < ranks; ++r) {
    const int right = (r + 1) % ranks, left = (r + ranks - 1) % ranks;
    const Event exchange = only(r, "MPI_Sendrecv");
    EXPECT_EQ(std::tuple(exchange.dest, exchange.source, exchange.send_bytes, exchange.recv_bytes),
              std::tuple(right, left, 16, 16));
    const Event receive = events_named(*reader_, r, "MPI_Irecv").at(0);
    EXPECT_EQ(std::tuple(receive.source, receive.recv_tag, receive.recv_bytes), std::tuple(left, 6, 16));
    const Event send = events_named(*reader_, r, "MPI_Isend").at(0);
    EXPECT_EQ(std::tuple(send.dest, send.send_tag, send.send_bytes), std::tuple(right, 6, 12));
    EXPECT_EQ(events_named(*reader_, r, "MPI_Send").at(r == 0 ? 1 : 0).dest, trace::proc_null);
  }
  const Event receive = events_named(*reader_, 1, "MPI_Recv").at(0);
  EXPECT_EQ(std::tuple(receive.source, receive.recv_tag), std::tuple(0, 7));
}

TEST_F(RecordedProgram, PersistentRequestsStartAnew) {
  for (int r = 0; r < ranks; ++r) {
    std::vector<Event> starts;
    for (const auto& event : trace::test::read_rank(*reader_, r))
      if (event.persistent) starts.push_back(event);
    ASSERT_EQ(starts.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(starts[i].op, i % 2 ? Op::recv : Op::send);
      EXPECT_EQ(i % 2 ? starts[i].source : starts[i].dest, (r + (i % 2 ? ranks - 1 : 1)) % ranks);
      for (std::size_t j = 0; j < i; ++j) EXPECT_NE(starts[i].request, starts[j].request);
    }
  }
}

TEST_F(RecordedProgram, UnsuccessfulTestsAreFolded) {
  const auto tests = events_named(*reader_, 0, "MPI_Test");
  ASSERT_EQ(tests.size(), 2u);
  EXPECT_EQ(tests[0].polls, 1);
  EXPECT_THAT(tests[0].completed, IsEmpty());
  EXPECT_EQ(tests[1].completed.size(), 1u);
}

TEST_F(RecordedProgram, Communicators) {
  for (int r = 0; r < ranks; ++r) {
    const Event split = only(r, "MPI_Comm_split", 0, 2);
    const std::vector<int> half = r % 2 ? std::vector{7, 5, 3, 1} : std::vector{6, 4, 2, 0};
    EXPECT_EQ(members(split.new_comm), half);
    const Event dup = only(r, "MPI_Comm_dup");
    EXPECT_EQ(dup.comm, split.new_comm);
    EXPECT_NE(dup.new_comm, split.new_comm);
    EXPECT_EQ(members(dup.new_comm), half);
    EXPECT_EQ(only(r, "MPI_Comm_free").comm, dup.new_comm);
    const int first = r / 4 * 4;
    EXPECT_EQ(members(only(r, "MPI_Cart_sub").new_comm),
              (std::vector{first, first + 1, first + 2, first + 3}));
    EXPECT_EQ(only(r, "MPI_Comm_split", 1, 2).new_comm == trace::none, r == 0);
    EXPECT_EQ(events_named(*reader_, r, "MPI_Barrier").size(), r == 0 ? 3u : 4u);
  }
}

TEST_F(RecordedProgram, CallsThatAreNotModelledAreCounted) {
  EXPECT_THAT(reader_->metadata().losses, ElementsAre(Loss{"MPI_Win_create", 8, "not modelled"},
                                                      Loss{"MPI_Win_fence", 16, "not modelled"},
                                                      Loss{"MPI_Win_free", 8, "not modelled"}));
}

TEST_F(RecordedProgram, ComputationIsCpuTime) {
  // Between the last call and MPI_Finalize: 100 ms asleep, then 20 ms of CPU, on 8 ranks that share fewer
  // cores. The clock may go in steps of 10 ms.
  for (int r = 0; r < ranks; ++r)
    EXPECT_THAT(only(r, "MPI_Finalize").compute.value,
                testing::AllOf(testing::Ge(0.010), testing::Le(0.050)));
}

TEST(Record, PassesTheExitCodeOn) {
  const Folder folder;
  const Recorded recorded = record_into(folder, mpirun(8, {"known_calls", "7"}));
  EXPECT_EQ(recorded.application_status, 7);
  EXPECT_THAT(recorded.notes, IsEmpty());
}

TEST(Record, LeavesWhatElseIsInItsFolders) {
  const Folder folder;
  std::filesystem::create_directory(folder / "ranks");
  trace::test::write_file(folder / "ranks/notes", {1});
  record_into(folder, mpirun(1, {"storm", "exit"}));
  EXPECT_THAT(trace::test::read_file(folder / "ranks/notes"), ElementsAre(1));
  EXPECT_FALSE(std::filesystem::exists(folder / "ranks/rank-000000.cctr"));
}

TEST(Record, SeveralPrograms) {
  const Folder folder;
  std::vector<std::string> command = mpirun(1, {"storm", "exit"});
  const std::vector<std::string> again(command.begin() + 3, command.end());
  command.push_back(":");
  command.insert(command.end(), again.begin(), again.end());
  EXPECT_EQ(record_into(folder, command).trace.ranks, 2);
}

TEST(Record, CommandThatDoesNotExist) {
  const Folder folder;
  EXPECT_THAT(trace::test::complaint([&] { record_into(folder, {"no-such-command"}); }),
              testing::HasSubstr("no-such-command: cannot be run"));
}

TEST(Record, CommandWithoutMpi) {
  setenv("COLLCAST_RECORDER", COLLCAST_RECORDER_LIBRARY, 1);
  const Folder folder;
  const auto said = [](const std::string& to, const std::string& command) {
    return trace::test::complaint([&] { record_run({to, {command}, {}}); });
  };
  EXPECT_THAT(said(folder.path(), "true"), testing::HasSubstr("true ended well and started no MPI program"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  // What was made for nothing goes.
  EXPECT_THAT(said(folder / "new", "false"),
              testing::HasSubstr("false ended with 1 before any rank came to"));
  EXPECT_THAT(said(folder / "new", "no-such-command"), testing::HasSubstr("cannot be run"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Record, LaunchersGetTheirOwnFlags) {
  const std::vector<std::string> command = {"mpirun", "-np", "2", "app"};
  EXPECT_THAT(with_recorder(command, "mpirun (Open MPI) 4.1.4", {{"A", "b"}}),
              ElementsAre("mpirun", "-x", "A=b", "-np", "2", "app"));
  EXPECT_THAT(with_recorder(command, "HYDRA build details:", {{"A", "b"}}),
              ElementsAre("mpirun", "-genv", "A", "b", "-np", "2", "app"));
  const std::vector<std::string> two = {"mpirun", "-np", "2", "app", ":", "-np", "1", "other"};
  EXPECT_THAT(with_recorder(two, "mpirun (Open MPI) 4.1.4", {{"A", "b"}}),
              ElementsAre("mpirun", "-x", "A=b", "-np", "2", "app", ":", "-x", "A=b", "-np", "1", "other"));
  EXPECT_THAT(with_recorder(two, "HYDRA build details:", {{"A", "b"}}),
              ElementsAre("mpirun", "-genv", "A", "b", "-np", "2", "app", ":", "-np", "1", "other"));
}

}  // namespace
}  // namespace collcast::recorder::test
