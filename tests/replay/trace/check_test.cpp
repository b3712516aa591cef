// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/check.hpp"

#include "tests/replay/trace/fixture.hpp"

namespace collcast::trace::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Check : public testing::Test {
 protected:
  std::vector<std::string> problems(const std::vector<std::vector<Event>>& ranks) {
    Writer writer(folder_ / "t.cct", metadata(static_cast<int>(ranks.size())),
                  {world_of(static_cast<int>(ranks.size())), {0}});
    for (std::size_t r = 0; r < ranks.size(); ++r)
      for (const auto& e : ranks[r]) writer.put(static_cast<int>(r), e);
    writer.close();
    return check(Reader(folder_ / "t.cct"));
  }

  Folder folder_;
};

Event completion(RequestId request) {
  Event e = event(Op::wait);
  e.completed = {{request}};
  return e;
}

TEST_F(Check, BalancedTraceHasNoProblems) {
  EXPECT_THAT(problems({{message(Op::send, 1, none, 3, 8), event(Op::barrier, 0)},
                        {message(Op::recv, none, 0, 3, 8, 0), completion(0), event(Op::barrier, 0)}}),
              IsEmpty());
}

TEST_F(Check, MessageWithoutReceive) {
  EXPECT_THAT(problems({{message(Op::send, 1, none, 3, 8)}, {}}),
              ElementsAre("communicator 0, rank 0 to 1, tag 3: 1 message(s) sent and never received"));
}

TEST_F(Check, ReceiveWithoutMessage) {
  EXPECT_THAT(problems({{message(Op::recv, none, 1, 3, 8)}, {}}),
              ElementsAre(HasSubstr("received and never sent")));
}

TEST_F(Check, UnresolvedWildcard) {
  EXPECT_THAT(problems({{message(Op::recv, none, any, 3, 8)}}),
              ElementsAre("rank 0, event 0: MPI_Recv never found its message"));
}

TEST_F(Check, CollectivesThatDiffer) {
  EXPECT_THAT(problems({{event(Op::barrier, 0)}, {}}), ElementsAre(HasSubstr("rank 1 calls 0 collectives")));
  EXPECT_THAT(problems({{event(Op::barrier, 0)}, {event(Op::allreduce, 0)}}),
              ElementsAre(HasSubstr("rank 1 calls other collectives, or other roots, than rank 0")));
}

TEST_F(Check, RequestsThatNeverBeganOrBeganTwice) {
  EXPECT_THAT(problems({{completion(4)}}),
              ElementsAre(HasSubstr("completes request 4, which is not active")));
  EXPECT_THAT(
      problems({{message(Op::recv, none, proc_null, 0, 0, 1), message(Op::recv, none, proc_null, 0, 0, 1)}}),
      ElementsAre(HasSubstr("begins request 1 a second time")));
}

TEST_F(Check, RanksOutsideTheCommunicator) {
  EXPECT_THAT(problems({{}, {event(Op::barrier, 1)}}),
              ElementsAre(HasSubstr("on a communicator that lacks this rank")));
  EXPECT_THAT(problems({{message(Op::send, 7, none, 3, 8)}}), testing::Contains(HasSubstr("names rank 7")));
}

}  // namespace
}  // namespace collcast::trace::test
