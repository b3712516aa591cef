// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/nccl_graph.hpp"

#include <gtest/gtest.h>

#include "replay/formats/formats.hpp"
#include "tests/complaint.hpp"
#include "tests/folder.hpp"
#include "tests/replay/formats/activities.hpp"
#include "tests/replay/formats/samples.hpp"

namespace collcast {
namespace {

TEST(NcclGraph, PatternsHaveTheirChannelsSpeedsAndLinks) {
  nccl::Graph graph;
  graph.read("Pattern 4, crossNic 0, nChannels 2, bw 24.000000/12.000000, type NVL/PIX, sameChannels 1");
  graph.read(
      "Pattern 1, crossNic 0, nChannels 3, speed 6.0/6.0, type PHB/SYS, sameChannels 0");  // before 2.12
  graph.read("Channel 00/02 : 0 1 2 3");
  graph.read("Channel 01/02 :    0   3   2   1");
  graph.read("Trees [0] 1/-1/-1->0->-1");
  graph.read("Using network IB");
  const auto rows = graph.rows("world");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].graph, "balanced tree");
  EXPECT_EQ(rows[0].channels, 3);
  EXPECT_DOUBLE_EQ(rows[0].within_GBps, 6);
  EXPECT_EQ(rows[1].communicator, "world");
  EXPECT_EQ(rows[1].graph, "ring");
  EXPECT_EQ(rows[1].channels, 2);
  EXPECT_DOUBLE_EQ(rows[1].within_GBps, 24);
  EXPECT_DOUBLE_EQ(rows[1].between_GBps, 12);
  EXPECT_EQ(rows[1].links, "NVL/PIX");
  EXPECT_EQ(rows[1].orders, (std::vector<std::string>{"0 1 2 3", "0 3 2 1"}));
}

/// Cards have numbers, and there is one transport; of no NVLS channels nothing is said.
TEST(NcclGraph, ConnectionsCountByTransport) {
  nccl::Graph graph, other;
  graph.read("Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM");
  graph.read("Channel 00/0 : 3[3] -> 4[0] [send] via NET/IB/0/GDRDMA(PCI)");
  graph.read("Channel 01/0 : 3[3] -> 4[0] [send] via NET/IB/1/GDRDMA(PCI)");
  other.read(
      "8 coll channels, 0 collnet channels, 0 nvls channels, 16 p2p channels, 2 p2p channels per peer");
  graph.add(other);
  std::string said;
  for (const auto& row : graph.rows("x"))
    said += row.graph + " " + row.links + " " + std::to_string(row.channels) + "; ";
  EXPECT_EQ(said,
            "in use for collectives  8; in use for messages  16; 2 connections NET/IB/GDRDMA 0; 1 connection "
            "P2P/CUMEM 0; ");
}

class NcclGraphs : public ::testing::Test {
 protected:
  std::unique_ptr<Source> open(const std::string& log) {
    return open_source({samples::write(folder_ / "log", log)});
  }
  Folder folder_;
};

/// What a device says before a communicator is complete is this one's.
TEST_F(NcclGraphs, BelongToTheCommunicatorThatIsSetUp) {
  const std::string at = "n0:10:11 [0] NCCL INFO ";
  const auto init = [&](int ranks, const std::string& id) {
    return at + "comm 0x" + id + " rank 0 nranks " + std::to_string(ranks) +
           " cudaDev 0 busId 1000 commId 0x" + id + " - Init COMPLETE\n";
  };
  const auto source = open(
      at + "Channel 00/01 : 0 1 2 3\n" + init(4, "a") + at + "Channel 00/01 : 0 1\n" + init(2, "b") + at +
      "AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 4 datatype 7 op 0 root 0 comm 0xb [nranks=2] "
      "stream 0x5\n");
  const auto& rows = source->info().set_up;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].communicator, "0xb (2 ranks)");
  EXPECT_EQ(rows[0].orders, std::vector<std::string>{"0 1"});
  EXPECT_EQ(rows[1].communicator, "world");
}

/// From NCCL 2.22 on connections are made at the first call: they are the caller's, not the next one's.
TEST_F(NcclGraphs, ConnectionsMadeLaterAreThoseOfTheLastCaller) {
  const std::string at = "n0:10:11 [0] NCCL INFO ";
  const auto init = [&](const std::string& id, const std::string& what) {
    return at + "ncclCommInitRank comm 0x" + id + " rank 0 nranks 2 cudaDev 0 busId 1000 commId 0x" + id +
           " - Init " + what + "\n";
  };
  const auto connection = [&](const std::string& via) {
    return at + "Channel 00/0 : 0[0] -> 1[1] via " + via + "\n";
  };
  const auto call = [&](const std::string& id) {
    return at + "AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 count 4 datatype 7 op 0 root 0 comm 0x" + id +
           " [nranks=2] stream 0x5\n";
  };
  const auto source = open(init("a", "START") + init("a", "COMPLETE") + connection("P2P/CUMEM") +
                           init("b", "START") + connection("SHM") + init("b", "COMPLETE") + call("a") +
                           connection("P2P/CUMEM") + call("b") + connection("SHM"));
  const auto& rows = source->info().set_up;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].graph + " " + rows[0].links, "2 connections P2P/CUMEM");
  EXPECT_EQ(rows[1].graph + " " + rows[1].links, "2 connections SHM");
}

/// As by default, when NCCL logs no calls.
TEST_F(NcclGraphs, AreShownOfALogWithoutCalls) {
  const std::string init = " - Init COMPLETE\n", at = "n0:10:11 [0] NCCL INFO ",
                    other = "n0:12:13 [1] NCCL INFO ";
  const auto comm = [](const std::string& id, int rank, int ranks) {
    return "comm 0x" + id + " rank " + std::to_string(rank) + " nranks " + std::to_string(ranks) +
           " cudaDev " + std::to_string(rank) + " busId " + std::to_string(rank) + "000 commId 0x" + id;
  };
  const auto source =
      open(at + "Channel 00/01 : 0 1 2 3\n" + at + comm("a", 0, 4) + init + other + comm("a", 1, 4) + init +
           at + comm("b", 0, 2) + init + other + comm("b", 1, 2) + init);
  EXPECT_EQ(source->ranks(), 4);
  EXPECT_EQ(source->info().recorded_ranks, (std::vector<Rank>{0, 1}));
  EXPECT_EQ(source->communicators().size(), 2u);
  ASSERT_EQ(source->info().set_up.size(), 1u);
  EXPECT_EQ(source->info().set_up[0].orders, std::vector<std::string>{"0 1 2 3"});
  EXPECT_TRUE(source->info().unplayable.starts_with("an NCCL log without calls; run with"));

  const auto chosen = open(at + "AllReduce: 4 Bytes -> Algo TREE proto LL channel{Lo..Hi}={0..0}\n");
  EXPECT_EQ(chosen->info().notes.back(), "AllReduce: 4 B by TREE / LL, 1 time");
  EXPECT_EQ(chosen->info().unknown.back(), "how many ranks there are");

  EXPECT_NE(
      testing::complaint([&] { open(at + "cudaDriverVersion 12040\n"); }).find("an NCCL log without calls"),
      std::string::npos);
}

/// A call of `count` floats by a process that writes behind `label`.
std::string labelled(const std::string& label, int process, int count) {
  return label + "n0:" + std::to_string(process) +
         ":11 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x1 recvbuff 0x2 "
         "count " +
         std::to_string(count) + " datatype 7 op 0 root 0 comm 0xa [nranks=2] stream 0x5\n";
}

/// Task 1 comes first, and calls with 8 bytes.
TEST_F(NcclGraphs, TasksOfALauncherAreRanks) {
  for (const auto& [one, zero] :
       {std::pair("1: ", "0: "), {" 1: ", " 0: "}, {"[7,1]<stdout>:", "[7,0]<stdout>:"}}) {
    const auto source = open(labelled(one, 21, 2) + labelled(zero, 20, 1));
    EXPECT_EQ(testing::all(*source, 0)[0].message, Bytes(4)) << one;
    EXPECT_EQ(testing::all(*source, 1)[0].message, Bytes(8)) << one;
    EXPECT_EQ(source->info().notes.at(0),
              "2 devices without INIT lines, or of another job, are the ranks of the tasks to which a "
              "launcher gives "
              "their lines");
  }
  // One of them has none, or both have one.
  for (const auto& [one, zero] : {std::pair("1: ", ""), {"1: ", "1: "}, {"12:30:01 ", "12:30:02 "}}) {
    const auto source = open(labelled(one, 21, 2) + labelled(zero, 20, 1));
    EXPECT_EQ(testing::all(*source, 0)[0].message, Bytes(8)) << one;
  }
}

}  // namespace
}  // namespace collcast
