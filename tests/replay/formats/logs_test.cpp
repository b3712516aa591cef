// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "replay/formats/formats.hpp"
#include "replay/source/inspection.hpp"
#include "tests/complaint.hpp"
#include "tests/replay/formats/activities.hpp"
#include "tests/replay/formats/trace_files.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;
using samples::deepspeed_calls;
using samples::deepspeed_summary;
using samples::rccl_record;
using testing::all;
using Logs = testing::TraceFiles;

TEST_F(Logs, RcclReplayerLogsGiveCallsByDevice) {
  const auto source = open_source({file("a.1.node0.json", samples::rccl_replay())});
  EXPECT_EQ(source->info().format, "rccl-replay");
  ASSERT_EQ(source->ranks(), 2);
  for (const Rank r : {0, 1}) {
    const auto calls = all(*source, r);
    ASSERT_EQ(calls.size(), 3u);
    EXPECT_EQ(calls[0].operation, "allgather");
    EXPECT_DOUBLE_EQ(calls[0].message.value, 2 * 4096);  // two ranks' shares
    EXPECT_EQ(calls[1].kind, r == 0 ? Kind::send : Kind::receive);
    EXPECT_DOUBLE_EQ((calls[1].bytes + calls[1].received_bytes).value, 80);
    EXPECT_EQ(calls[2].kind, Kind::wait);
  }
  ASSERT_EQ(source->info().notes.size(), 1u);
  EXPECT_EQ(source->info().notes[0].substr(0, 33), "2 calls at the capture of graphs ");
}

TEST_F(Logs, RcclReplayersBracketsAreGroups) {
  // Each of two GPUs sends and receives in one group, under numbers of their own.
  std::string text = samples::rccl_replay();
  const std::size_t at = text.rfind("  {\n");
  std::string messages = text.substr(at);
  for (const auto& [kind, rank] : {std::pair{"Recv", 0}, std::pair{"Send", 1}}) {
    const std::string other = rank == 0 ? "1" : "0", me = std::to_string(rank);
    std::string line = messages.substr(messages.find(rank == 0 ? "Send" : "Recv"));
    line = line.substr(0, line.find('\n') + 1);
    line.replace(0, 4, kind);
    line.replace(line.find("opCount : 1f"), 12, "opCount : 20");
    messages.insert(messages.find("  }\n"), line);
  }
  const auto source = open_source({file("g.1.node0.json", text.substr(0, at) + messages)});
  for (const Rank r : {0, 1}) {
    const auto calls = all(*source, r);
    ASSERT_GE(calls.size(), 3u);
    EXPECT_EQ(calls[calls.size() - 1].kind, Kind::wait) << r;
    EXPECT_EQ(calls[calls.size() - 1].requests.size(), 2u) << r;
  }
}

TEST_F(Logs, NcclCommunicatorsWithoutInitAreNotOneRanksOwn) {
  const auto line = [](const std::string& kind, int number, int peer, const std::string& comm) {
    return "a:1:2 [1] NCCL INFO " + kind + ": opCount " + std::to_string(number) +
           " sendbuff 0x1 recvbuff (nil) count 8 datatype 7 op 0 root " + std::to_string(peer) + " comm " +
           comm + " [nranks=2] stream 0x5\n";
  };
  const auto source = open_source(
      {file("l", line("Send", 1, 1, "0xa") + line("Send", 2, 0, "0xb") + line("Recv", 3, 1, "0xa"))});
  ASSERT_EQ(source->communicators().size(), 2u);
  EXPECT_EQ(source->communicators()[1], (std::vector<Rank>{1, 0}));  // it sends to 0, so it is 1
}

TEST_F(Logs, DeepSpeedCallsAreInOrder) {
  const auto source = open_source({file("log", deepspeed_calls)});
  EXPECT_EQ(source->info().format, "deepspeed");
  ASSERT_EQ(source->ranks(), 16);  // 1 / (1 - 894.75 / 954.40) = 16.0
  EXPECT_EQ(source->info().recorded_ranks, std::vector<Rank>{0});
  const auto calls = all(*source, 0);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_DOUBLE_EQ(calls[0].message.value, 16 * 6 * 1048576.0);
  EXPECT_NEAR(calls[0].time.value, 0.11e-3, 1e-15);
  EXPECT_EQ(calls[1].kind, Kind::skipped);
  EXPECT_DOUBLE_EQ(calls[2].message.value, 64 * 1048576.0);
}

/// Other versions leave the rank to the logger.
TEST_F(Logs, DeepSpeedCallsOfTheLoggersRank) {
  std::string log = deepspeed_calls;
  for (auto at = log.find("rank=0 | "); at != std::string::npos; at = log.find("rank=0 | ")) log.erase(at, 9);
  testing::expect_same(*open_source({file("a", log)}), *open_source({file("b", deepspeed_calls)}));
  log.replace(log.find("[Rank 0]"), 8, "[Rank 3]");
  EXPECT_EQ(open_source({file("c", log)})->info().recorded_ranks, (std::vector<Rank>{0, 3}));
}

TEST_F(Logs, DeepSpeedLogsMayNotSayHowManyRanksThereAre) {
  const std::string broadcast =
      "[Rank 0] comm op: broadcast | time (ms): 9 | msg size: 6 MB | algbw (Gbps): 5 | busbw (Gbps): 5\n";
  EXPECT_EQ(open_source({file("log", broadcast)})->info().notes.at(0),
            "how many ranks there are is not said, as busbw and algbw differ nowhere: taken as 1; `replay "
            "--ranks` takes more");
}

/// The first version reckoned with the ranks in broadcasts, too: 1 / (1 - 372.24 / 397.06) = 15.998. Of 0.43
/// and 0.41, between 0.405 / 0.435 and 0.415 / 0.425, 15 to 42 ranks round to the same. None make a third.
TEST_F(Logs, DeepSpeedBroadcastsMaySayHowManyRanksThereAre) {
  const auto note = [&](const std::string& algbw, const std::string& busbw) {
    return open_source(
               {file("log", "[Rank 0] comm op: broadcast | time (ms): 9 | msg size: 6 MB | algbw (Gbps): " +
                                algbw + " | busbw (Gbps): " + busbw + "\n")})
        ->info()
        .notes.at(0);
  };
  EXPECT_EQ(note("397.06", "372.24"), "16 ranks: what DeepSpeed's busbw and algbw differ by");
  EXPECT_EQ(note("0.43", "0.41"),
            "21 ranks: what DeepSpeed's busbw and algbw differ by, as rounded, for 15 to 42 ranks");
  EXPECT_EQ(note("300", "100"),
            "how many ranks there are is not said, as busbw and algbw differ by what no number of ranks "
            "makes: taken as 1; `replay --ranks` takes more");
}

/// Its first version had stragglers in the table: busbw and algbw are the last two of 0.06 0.24 0.17 0.17.
TEST_F(Logs, DeepSpeedSummariesMayHaveAColumnOfStragglers) {
  const auto source = open_source({file(
      "log",
      "Comm. Op  Message Size  Count  Total Latency(ms)  Total straggler(ms)  Avg Latency(ms)  tput_avg "
      "(Gbps)  busbw_avg (Gbps)\nbroadcast\n    4.94 KB  1  0.24  0.06  0.24  0.17  0.17\n")});
  EXPECT_NE(source->info().notes.at(0).find("as busbw and algbw differ nowhere"), std::string::npos);
}

TEST_F(Logs, DeepSpeedSummariesAreProfiles) {
  const auto source = open_source({file("log", deepspeed_summary)});
  EXPECT_FALSE(source->info().ordered);
  EXPECT_EQ(source->ranks(), 4);  // 1 / (1 - 0.75)
  const Inspection i = inspect(*source);
  ASSERT_EQ(i.operations.size(), 2u);
  EXPECT_EQ(i.operations[0].name, "allreduce");
  EXPECT_EQ(i.operations[0].count, 40);
  EXPECT_NEAR(i.operations[0].total.value, 0.4, 1e-12);
  EXPECT_EQ(i.operations[1].count, 146);
  EXPECT_DOUBLE_EQ(i.operations[1].size.value, 2048);
  const std::string none = file("none", deepspeed_summary.substr(0, deepspeed_summary.find('\n')));
  EXPECT_EQ(testing::complaint([&] { open_source({none}); }),
            none + ": a DeepSpeed log without calls of which the size is said");
}

TEST_F(Logs, RcclReplayerRecordsAreReadToo) {
  // 17: a communicator; 4: an allreduce; 9: an all-to-all of 10 and 30 elements, with 4 lists of two after
  // it.
  std::string lists(64, '\0');
  lists[0] = 10, lists[8] = 30;
  const std::string one = rccl_record(17, 0, 0) + rccl_record(4, 1000, 0) + rccl_record(9, 0, 0) + lists +
                          rccl_record(4, 5, 0),
                    other = rccl_record(17, 0, 1) + rccl_record(4, 1000, 1) + rccl_record(9, 0, 1) + lists +
                            rccl_record(4, 5, 1);
  const auto source = open_source({file("r.11.a", one), file("r.12.a", other + "cut")});
  ASSERT_EQ(source->ranks(), 2);
  const auto calls = all(*source, 1);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_DOUBLE_EQ(calls[0].message.value, 4000);
  EXPECT_DOUBLE_EQ(calls[1].message.value, 160);  // 40 floats
  EXPECT_DOUBLE_EQ(calls[2].message.value, 20);
  EXPECT_EQ(source->info().losses, (std::vector<Loss>{{"call", 1, "cut short in its middle"}}));
  const std::string idle = file("r.13.a", rccl_record(17, 0, 0));
  EXPECT_NE(testing::complaint([&] { open_source({idle}); }).find("in which nothing communicates"),
            std::string::npos);
}

}  // namespace
}  // namespace collcast
