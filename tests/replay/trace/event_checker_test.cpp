// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/event_checker.hpp"

#include "tests/replay/trace/fixture.hpp"

namespace collcast::trace::test {
namespace {

using testing::HasSubstr;

/// The world of four ranks, rank 0 alone, and ranks 1 to 3.
const Communicators communicators{{0, 1, 2, 3}, {0}, {1, 2, 3}};

/// What makes no sense in an event of rank 0.
std::string flaw(const Event& e) {
  return EventChecker(communicators, 0).complaint(e);
}

Event collective(Op op, int root = none) {
  Event e = event(op, world);
  e.root = root, e.send_bytes = e.recv_bytes = 8;
  return e;
}

Event with_lists(Op op, std::vector<std::int64_t> sent, std::vector<std::int64_t> received, int root = none) {
  Event e = collective(op, root);
  e.send_counts = std::move(sent), e.recv_counts = std::move(received);
  return e;
}

TEST(EventChecker, OfWhatARecorderWrites) {
  const std::vector<std::int64_t> four{1, 2, 3, 4};
  for (const Event& e : {event(Op::init), event(Op::iprobe), message(Op::send, 3, none, 0, 8),
                         message(Op::recv, none, 0, 0, 8, 7), message(Op::recv, none, any, any, 8),
                         message(Op::send, proc_null, none, any, 8), message(Op::sendrecv, 1, 2, 3, 8),
                         collective(Op::barrier), collective(Op::bcast, 3), collective(Op::allreduce),
                         with_lists(Op::gatherv, {}, four, 0), with_lists(Op::gatherv, {}, {}, 1),
                         with_lists(Op::scatterv, four, {}, 0), with_lists(Op::allgatherv, {}, four),
                         with_lists(Op::reduce_scatter, {}, four), with_lists(Op::alltoallw, four, four)})
    EXPECT_EQ(flaw(e), "") << mpi_name(e.op);
}

TEST(EventChecker, NamesRankAndEvent) {
  EventChecker checker(communicators, 0);
  EXPECT_EQ(checker.complaint(event(Op::init)), "");
  EXPECT_EQ(checker.complaint(message(Op::send, 4, none, 0, 8)),
            "rank 0, event 1: MPI_Send names rank 4 of 4");
  EXPECT_EQ(checker.place(0), 0);
  EXPECT_EQ(checker.place(2), none);
}

TEST(EventChecker, OfPeersAndTags) {
  for (const int peer : {4, 1000, INT_MAX, none, root_of_group, -5, INT_MIN}) {
    Event e = message(Op::ssend, 0, none, 1, 8);
    e.dest = peer;
    EXPECT_THAT(flaw(e), HasSubstr("MPI_Ssend names rank " + std::to_string(peer) + " of 4"));
    e = message(Op::recv, none, 0, 1, 8);
    e.source = peer;
    EXPECT_THAT(flaw(e), HasSubstr("MPI_Recv names rank " + std::to_string(peer) + " of 4"));
  }
  EXPECT_THAT(flaw(message(Op::send, any, none, 1, 8)), HasSubstr("names rank -2 of 4"));
  EXPECT_THAT(flaw(message(Op::send, 1, none, -7, 8)), HasSubstr("has tag -7"));
  EXPECT_THAT(flaw(message(Op::recv, none, 1, -7, 8)), HasSubstr("has tag -7"));
}

TEST(EventChecker, OfRoots) {
  for (const Op op : {Op::bcast, Op::reduce, Op::gather, Op::scatter, Op::gatherv, Op::scatterv})
    for (const int root : {4, INT_MAX, none, root_of_group, INT_MIN})
      EXPECT_THAT(flaw(collective(op, root)), HasSubstr("has root " + std::to_string(root) + " of 4"));
}

TEST(EventChecker, OfCommunicators) {
  for (const CommId comm : {3, INT_MAX, -2, INT_MIN}) {
    Event e = collective(Op::barrier);
    e.comm = comm;
    EXPECT_THAT(flaw(e), HasSubstr("names communicator " + std::to_string(comm) + " of 3"));
    e.comm = world, e.new_comm = comm;
    EXPECT_THAT(flaw(e), HasSubstr("names communicator " + std::to_string(comm) + " of 3"));
  }
  Event e = collective(Op::barrier);
  e.comm = 2;
  EXPECT_THAT(flaw(e), HasSubstr("is on communicator 2, which lacks this rank"));
  e.comm = world, e.new_comm = 2;
  EXPECT_THAT(flaw(e), HasSubstr("is on communicator 2, which lacks this rank"));
  e = message(Op::send, 0, none, 0, 8);
  e.comm = none;
  EXPECT_THAT(flaw(e), HasSubstr("MPI_Send is on no communicator"));
}

TEST(EventChecker, OfLists) {
  const std::vector<std::int64_t> four(4, 1), three(3, 1);
  for (const Event& e : {with_lists(Op::alltoallv, three, four), with_lists(Op::alltoallv, four, three),
                         with_lists(Op::alltoallw, {1}, {1}), with_lists(Op::allgatherv, {}, three),
                         with_lists(Op::reduce_scatter, {}, three), with_lists(Op::gatherv, {}, three, 0),
                         with_lists(Op::scatterv, three, {}, 0)})
    EXPECT_THAT(flaw(e), HasSubstr("sizes where 4 are needed")) << mpi_name(e.op);
  EXPECT_THAT(flaw(with_lists(Op::gatherv, {}, four, 1)), HasSubstr("lists 4 sizes where 0 are needed"));
  EXPECT_THAT(flaw(with_lists(Op::allreduce, four, {})), HasSubstr("lists 4 sizes where 0 are needed"));
}

TEST(EventChecker, OfSizesTimesRequestsAndPolls) {
  Event e = message(Op::send, 1, none, 0, most_bytes + 1);
  EXPECT_THAT(flaw(e), HasSubstr("has a size below 0 or above 64 TiB"));
  EXPECT_THAT(flaw(message(Op::send, 1, none, 0, -1)), HasSubstr("has a size"));
  EXPECT_THAT(flaw(with_lists(Op::allgatherv, {}, {most_bytes, 1, 0, 0})), HasSubstr("has a size"));
  EXPECT_THAT(flaw(message(Op::send, 1, none, 0, 8, -5)), HasSubstr("begins request -5"));
  EXPECT_THAT(flaw(message(Op::send, 1, none, 0, 8, INT_MAX)), HasSubstr("begins request 2147483647"));
  e = event(Op::waitall);
  e.completed = {{-5}};
  EXPECT_THAT(flaw(e), HasSubstr("completes request -5"));
  e = event(Op::iprobe);
  e.polls = -1;
  EXPECT_THAT(flaw(e), HasSubstr("has -1 polls"));
  for (Seconds Event::*time : {&Event::compute, &Event::duration, &Event::polling}) {
    e = event(Op::iprobe);
    e.*time = Seconds(1e9);
    EXPECT_EQ(flaw(e), "");
    e.*time = Seconds(1.1e9);
    EXPECT_THAT(flaw(e), HasSubstr("has a time above 30 years"));
  }
}

}  // namespace
}  // namespace collcast::trace::test
