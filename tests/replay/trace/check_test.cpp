// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/check.hpp"

#include "tests/replay/trace/fixture.hpp"

namespace collcast::trace::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Check : public ::testing::Test {
 protected:
  Contradictions found(const std::vector<std::vector<Event>>& ranks) {
    Writer writer(folder_ / "t.cct", metadata(static_cast<int>(ranks.size())),
                  {world_of(static_cast<int>(ranks.size())), {0}});
    for (std::size_t r = 0; r < ranks.size(); ++r)
      for (const auto& e : ranks[r]) writer.put(static_cast<int>(r), e);
    writer.close();
    return check(Reader(folder_ / "t.cct"));
  }
  std::vector<std::string> errors(const std::vector<std::vector<Event>>& ranks) {
    return found(ranks).errors;
  }
  std::vector<std::string> notes(const std::vector<std::vector<Event>>& ranks) {
    const Contradictions all = found(ranks);
    EXPECT_THAT(all.errors, IsEmpty());
    return all.notes;
  }

  Folder folder_;
};

Event completion(RequestId request) {
  Event e = event(Op::wait);
  e.completed = {{request}};
  return e;
}

Event rooted(Op op, int root, std::int64_t bytes) {
  Event e = event(op, world);
  e.root = root, e.send_bytes = e.recv_bytes = bytes;
  return e;
}

Event alltoallv(std::vector<std::int64_t> sent, std::vector<std::int64_t> received) {
  Event e = event(Op::alltoallv, world);
  e.send_counts = std::move(sent), e.recv_counts = std::move(received);
  return e;
}

TEST_F(Check, BalancedTraceHasNoProblems) {
  EXPECT_THAT(notes({{message(Op::send, 1, none, 3, 8), event(Op::barrier, 0), alltoallv({1, 2}, {1, 3})},
                     {message(Op::recv, none, 0, 3, 8, 0), completion(0), event(Op::barrier, 0),
                      alltoallv({3, 4}, {2, 4})}}),
              IsEmpty());
}

TEST_F(Check, MessageWithoutReceive) {
  EXPECT_THAT(notes({{message(Op::send, 1, none, 3, 8)}, {}}),
              ElementsAre("communicator 0, rank 0 to 1, tag 3: 1 message sent and never received"));
}

TEST_F(Check, ReceiveWithoutMessage) {
  EXPECT_THAT(errors({{message(Op::recv, none, 1, 3, 8)}, {}}),
              ElementsAre("communicator 0, rank 1 to 0, tag 3: 1 message received and never sent"));
}

TEST_F(Check, UnresolvedWildcard) {
  EXPECT_THAT(notes({{message(Op::recv, none, any, 3, 8)}}),
              ElementsAre("rank 0, event 0: MPI_Recv never found its message"));
}

TEST_F(Check, CollectivesThatDiffer) {
  EXPECT_THAT(errors({{event(Op::barrier, 0)}, {}}), ElementsAre(HasSubstr("rank 1 calls 0 collectives")));
  EXPECT_THAT(errors({{event(Op::barrier, 0)}, {event(Op::allreduce, 0)}}),
              ElementsAre(HasSubstr("rank 1 calls other collectives, or other roots, than rank 0")));
}

TEST_F(Check, RootsThatDiffer) {
  EXPECT_THAT(errors({{rooted(Op::bcast, 0, 8)}, {rooted(Op::bcast, 1, 8)}}),
              ElementsAre("communicator 0: rank 1 calls other collectives, or other roots, than rank 0"));
}

TEST_F(Check, SizesThatDiffer) {
  EXPECT_THAT(
      notes({{rooted(Op::bcast, 0, 8)}, {rooted(Op::bcast, 0, 9)}}),
      ElementsAre("communicator 0: rank 1 gives other sizes to collectives than rank 0; those of whoever "
                  "comes first count"));
  EXPECT_THAT(
      notes({{alltoallv({1, 2}, {1, 3})}, {alltoallv({3, 4}, {5, 4})}}),
      ElementsAre("communicator 0: ranks of an alltoall disagree on the sizes of the blocks between them"));
}

TEST_F(Check, RequestsThatNeverBeganOrBeganTwiceOrNeverEnded) {
  EXPECT_THAT(errors({{completion(4)}}), ElementsAre(HasSubstr("completes request 4, which is not active")));
  const Event nothing = message(Op::recv, none, proc_null, 0, 0, 1);
  EXPECT_THAT(errors({{nothing, nothing}}), ElementsAre(HasSubstr("begins request 1 a second time")));
  EXPECT_THAT(notes({{nothing}}), ElementsAre("rank 0 never completes 1 of its requests, the first one 1"));
}

}  // namespace
}  // namespace collcast::trace::test
