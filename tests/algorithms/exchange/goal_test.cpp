// SPDX-License-Identifier: Apache-2.0
#include "algorithms/exchange/goal.hpp"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "support/error.hpp"
#include "tests/algorithms/laws.hpp"

namespace collcast {
namespace {

TEST(Goal, TwoRanks) {
  // Recursive doubling: both send 8 B at once, each then adds for 8 ns.
  const Schedule s = algorithm(Collective::allreduce, "recursive-doubling").schedule({.ranks = 2});
  EXPECT_EQ(write_goal(s, Layout::equal(Bytes(8), s.blocks), SecondsPerByte(1e-9)),
            "num_ranks 2\n"
            "\nrank 0 {\nl1: send 8b to 1 tag 0\nl2: recv 8b from 1 tag 0\nl3: calc 8\nl3 requires l2\n}\n"
            "\nrank 1 {\nl1: recv 8b from 0 tag 0\nl2: calc 8\nl3: send 8b to 0 tag 0\nl2 requires l1\n}\n");
}

TEST(Goal, OneRankHasSomethingToDo) {
  EXPECT_EQ(write_goal(idle(1, 1), Layout::equal(Bytes(8), 1)), "num_ranks 1\n\nrank 0 {\nl1: calc 0\n}\n");
}

TEST(Goal, RefusesWhatTheNetworkWouldHaveToDo) {
  const Schedule s =
      algorithm(Collective::broadcast, "multicast").schedule({.ranks = 4, .message = Bytes(1)});
  EXPECT_THROW(write_goal(s, Layout::equal(Bytes(8), s.blocks)), InputError);
}

TEST(Goal, RefusesTimesThatItCannotWrite) {
  const Schedule s = algorithm(Collective::allreduce, "ring").schedule({.ranks = 3});
  EXPECT_THROW(write_goal(s, Layout::equal(Bytes(1e6), s.blocks), SecondsPerByte(1e300)), InputError);
}

TEST(Goal, RefusesFilesThatFillADisk) {
  // 2 x 9,999 steps of 10,000 messages.
  const Schedule s = algorithm(Collective::allreduce, "ring").schedule({.ranks = 10000});
  EXPECT_THROW(write_goal(s, Layout::equal(Bytes(1e6), s.blocks)), InputError);
}

/// Every line as txt2bin takes it, labels defined before they are used, and a receive for each send.
void check(const std::string& text, std::int64_t messages) {
  static const std::regex operation(R"((l\d+): (calc \d+|(send|recv) (\d+)b (to|from) (\d+) tag (\d+)))");
  static const std::regex dependency(R"((l\d+) requires (l\d+))");
  static const std::regex head(R"(num_ranks \d+|rank (\d+) \{|\}|)");
  std::istringstream lines(text);
  std::string line;
  std::smatch m;
  int rank = -1;
  std::set<std::string> labels;
  std::map<std::tuple<int, int, int, std::string>, int> open;
  std::int64_t sends = 0;
  while (std::getline(lines, line)) {
    if (std::regex_match(line, m, head)) {
      if (m[1].matched) rank = std::stoi(m[1]), labels.clear();
    } else if (std::regex_match(line, m, operation)) {
      EXPECT_TRUE(labels.insert(m[1]).second) << line;
      if (!m[3].matched) continue;
      EXPECT_GE(std::stoll(m[4]), 1);
      const bool send = m[3] == "send";
      EXPECT_EQ(m[5], send ? "to" : "from");
      const int peer = std::stoi(m[6]);
      sends += send;
      open[{send ? rank : peer, send ? peer : rank, std::stoi(m[7]), m[4]}] += send ? 1 : -1;
    } else if (std::regex_match(line, m, dependency)) {
      EXPECT_TRUE(labels.count(m[1]) == 1 && labels.count(m[2]) == 1) << line;
    } else {
      ADD_FAILURE() << line;
    }
  }
  EXPECT_EQ(sends, messages);
  for (const auto& [message, left] : open) EXPECT_EQ(left, 0) << std::get<0>(message);
}

TEST(Goal, CatalogueIsWellFormed) {
  for (const Algorithm* a : catalogue())
    for_each_call(*a, {2, 5, 8}, [&](Call call) {
      if (call.root > 1 || call.radix > 3 || call.segments > 2 || call.channels > 2 || !call.counts.empty())
        return;
      SCOPED_TRACE(describe(*a, call));
      call.message = Bytes(1000);
      const Schedule s = a->schedule(call);
      try {
        check(write_goal(s, layout(*a, call, s)), traffic(s).messages);
      } catch (const InputError&) {  // multicasts and staging through a host
      }
    });
}

}  // namespace
}  // namespace collcast
