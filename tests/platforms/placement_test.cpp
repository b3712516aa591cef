// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <random>

#include "platforms/machine/paths.hpp"
#include "support.hpp"
#include "tests/mutated.hpp"

namespace collcast {
namespace {

using namespace testing;

std::string file(const std::string& text) {
  const std::string path = scratch("ranks.txt");
  std::ofstream(path) << text;
  return path;
}

/// What is said of the file's text, without the file's path.
std::string complaint_of(const std::string& text, Rank ranks,
                         const Description& platform = load_platform("summit")) {
  const std::string path = file(text);
  const std::string said = complaint([&] { Machine(platform, ranks, parse_placement(path)); });
  return said.starts_with(path + ": ") ? said.substr(path.size() + 2) : said;
}

/// The port that tells on which GPU a rank sits.
std::string out(const Machine& m, Rank from, Rank to) {
  return m.port_name(m.wire(from, to, Bytes(0)).out);
}

/// Seven ranks on three nodes: three, two and two, in blocks or dealt out.
TEST(Placement, OfSoManyNodesSharesRanksOut) {
  const auto nodes = [](const char* placement) {
    const Machine m(load_platform("summit"), 7, parse_placement(placement));
    std::string all;
    for (Rank r = 0; r < 7; ++r) all += std::to_string(m.node(r));
    return all;
  };
  EXPECT_EQ(nodes("block"), "0000001");
  EXPECT_EQ(nodes("block:3"), "0001122");
  EXPECT_EQ(nodes("by-socket:3"), "0001122");
  EXPECT_EQ(nodes("round-robin"), "0101010");
  EXPECT_EQ(nodes("round-robin:3"), "0120120");
  const auto said = [](const char* placement, Rank ranks) {
    return complaint([&] { Machine(load_platform("summit"), ranks, parse_placement(placement)); });
  };
  EXPECT_EQ(said("block:8", 7), "placement: 7 ranks on 8 nodes leave nodes without a rank");
  EXPECT_EQ(said("block:2", 13), "placement: 13 ranks on 2 nodes are up to 7 a node, which holds 6");
  EXPECT_EQ(said("round-robin:5000", 6000), "placement: 6000 ranks on 5000 nodes: summit has 4608");
  for (const char* wrong :
       {"block:", "block:0", "block:-1", "by-socket:two", "round-robin:3x", "block:99999999999"})
    EXPECT_EQ(said(wrong, 7),
              "placement: '" + std::string(wrong) + "' needs a number of nodes from 1 after the colon");
}

TEST(Placement, BySocketTakesTurnsWithinANode) {
  const Machine m(load_platform("summit"), 12, parse_placement("by-socket"));
  // GPUs 0 to 2 are at one socket, 3 to 5 at the other: ranks 0 to 5 sit on GPUs 0, 3, 1, 4, 2, 5.
  EXPECT_EQ(out(m, 0, 2), "node 0 gpu0 out to gpu1");
  EXPECT_EQ(out(m, 1, 3), "node 0 gpu3 out to gpu4");
  EXPECT_EQ(out(m, 4, 2), "node 0 gpu2 out to gpu1");
  EXPECT_EQ(out(m, 11, 9), "node 1 gpu5 out to gpu4");
  EXPECT_EQ(m.consecutive_ranks(), 6);
  // Two ranks use both rails.
  const Machine two(load_platform("summit"), 8, parse_placement("by-socket"));
  EXPECT_EQ(out(two, 6, 0), "node 1 NIC 0 out");
  EXPECT_EQ(out(two, 7, 0), "node 1 NIC 1 out");
}

TEST(Placement, AFileSaysWhere) {
  const std::string path = file(
      "# ranks of a job\n\n"
      "rank 1=node7 slot=4\r\n"
      "  rank 0 = node7 slot = 0  # the first GPU\n"
      "rank 2=+n300 slot=1:2\n");
  const Machine m(load_platform("summit"), 3, parse_placement(path));
  EXPECT_EQ(m.node(0), 7);
  EXPECT_EQ(m.node(1), 7);
  EXPECT_EQ(m.node(2), 300);
  EXPECT_EQ(out(m, 0, 2), "node 7 NIC 0 out");
  EXPECT_EQ(out(m, 1, 2), "node 7 NIC 1 out");
  EXPECT_EQ(out(m, 2, 0), "node 300 NIC 1 out");  // the third GPU of the second socket
  EXPECT_EQ(m.consecutive_ranks(), 2);
  EXPECT_EQ(Machine(load_platform("flat"), 3,
                    parse_placement(file("rank 0=node7 slot=0\nrank 1=node0 slot=0\n"
                                         "rank 2=node3 slot=0\n")))
                .ports(),
            6u);
}

TEST(Placement, AListedBlockIsTheBlock) {
  std::string lines;
  for (int r = 0; r < 20; ++r)
    lines += "rank " + std::to_string(r) + "=node" + std::to_string(r / 6) +
             " slot=" + std::to_string(r % 6) + "\n";
  const Description d = load_platform("summit");
  const Machine block(d, 20), listed(d, 20, parse_placement(file(lines)));
  EXPECT_EQ(block.consecutive_ranks(), listed.consecutive_ranks());
  EXPECT_EQ(block.used_parameters(), listed.used_parameters());
  for (Rank a = 0; a < 20; ++a)
    for (Rank b = 0; b < 20; ++b) {
      EXPECT_EQ(block.wire(a, b, Bytes(0)).latency, listed.wire(a, b, Bytes(0)).latency);
      std::vector<LinkId> one, other;
      block.route(a, b, one);
      listed.route(a, b, other);
      EXPECT_EQ(one, other);
    }
}

TEST(Placement, OneNodeFarAwayUsesNoNetwork) {
  const Description d = load_platform("summit");
  const Machine far(d, 2, parse_placement(file("rank 0=node9 slot=2\nrank 1=node9 slot=3\n")));
  EXPECT_FALSE(far.used_parameters().contains("network.bandwidth_GBps"));
  EXPECT_EQ(far.representatives(), (std::vector<Rank>{0, 1}));
}

TEST(Placement, BadFiles) {
  const std::string good = "rank 0=node0 slot=0\n";
  EXPECT_EQ(complaint([] { parse_placement("cyclic"); }),
            "placement: must be block, round-robin or by-socket, with :NODES or without, or a file of 'rank "
            "0=node3 "
            "slot=1' lines, not "
            "'cyclic'");
  EXPECT_FALSE(complaint([] { parse_placement("/tmp"); }).empty());
  const std::string form =
      "must be as in 'rank 0=node3 slot=1', or 'slot=1:0' for the first slot of the second socket, not ";
  EXPECT_EQ(complaint_of(good + "rank 1=node slot=0", 2), "line 2: " + form + "'rank 1=node slot=0'");
  EXPECT_EQ(complaint_of(good + "rank -1=node0 slot=0", 2), "line 2: " + form + "'rank -1=node0 slot=0'");
  EXPECT_EQ(complaint_of("rank 0=node0 slot=0-2", 1), "line 1: " + form + "'rank 0=node0 slot=0-2'");
  EXPECT_EQ(complaint_of("rank 0=node99999999999999 slot=0", 1),
            "line 1: " + form + "'rank 0=node99999999999999 slot=0'");
  EXPECT_EQ(complaint_of(std::string(1 << 20, ' ') + "x", 1).substr(0, 10), "line 1: mu");
  EXPECT_EQ(complaint_of("# nothing\n", 1), "places no rank");
  EXPECT_EQ(complaint_of(good + "\nrank 0=node1 slot=0", 2), "line 3: rank 0 stands in line 1 already");
  EXPECT_EQ(complaint_of(good + "rank 2=node1 slot=0", 2), "places rank 2, but not rank 1");
  EXPECT_EQ(complaint_of(good, 2), "places 1 ranks, not 2");
  EXPECT_EQ(complaint_of(good + "rank 1=node0 slot=0:0", 2),
            "line 2: line 1 has a rank in this slot already");
  EXPECT_EQ(complaint_of("rank 0=node4608 slot=0", 1), "line 1: node 4608: summit has 4608 of them, from 0");
  EXPECT_EQ(complaint_of("rank 0=node0 slot=6", 1), "line 1: slot 6: summit has 6 of them, from 0");
  EXPECT_EQ(complaint_of("rank 0=node0 slot=2:0", 1), "line 1: socket 2: summit has 2 of them, from 0");
  EXPECT_EQ(complaint_of("rank 0=node0 slot=1:3", 1),
            "line 1: slot of a socket 3: summit has 3 of them, from 0");
  EXPECT_EQ(complaint_of("rank 0=node0 slot=1", 1, load_platform("flat")),
            "line 1: slot 1: flat has 1 of them, from 0");
}

TEST(Placement, MutatedFilesAreRefusedInOneLine) {
  std::mt19937 random(3);
  const std::string good = "rank 0=node0 slot=0\nrank 1=+n9 slot=1:2 # x\n";
  const Description summit = load_platform("summit");
  for (int round = 0; round < 300; ++round) {
    const std::string said =
        complaint_of(mutated(good, "rank=node+slot:0123456789# \n\r\t\x80", random), 2, summit);
    EXPECT_EQ(said.find('\n'), std::string::npos);
  }
}

/// The law of representatives, for ranks anywhere.
TEST(Placement, SlowestPathOfAnyPlacementIsThatOfAllPairs) {
  std::mt19937 random(4);
  for (const char* name : {"summit", "dgx-1v", "frontera"})
    for (int round = 0; round < 20; ++round) {
      const Description d = load_platform(name);
      const Blueprint b = read_blueprint(d);
      std::set<std::pair<int, int>> taken;
      const auto nodes = std::min<std::int64_t>(b.max_nodes, round % 2 ? 5 : 4000);
      while (taken.size() < 8u)
        taken.insert({static_cast<int>(random() % static_cast<unsigned>(nodes)),
                      static_cast<int>(random() % static_cast<unsigned>(b.ranks_per_node))});
      std::vector<std::pair<int, int>> shuffled(taken.begin(), taken.end());
      std::ranges::shuffle(shuffled, random);
      std::string lines;
      for (std::size_t r = 0; r < shuffled.size(); ++r)
        lines += "rank " + std::to_string(r) + "=node" + std::to_string(shuffled[r].first) +
                 " slot=" + std::to_string(shuffled[r].second) + "\n";
      const Machine m(d, 8, parse_placement(file(lines)));
      Seconds worst, best(1);
      for (Rank a = 0; a < 8; ++a)
        for (Rank c = 0; c < 8; ++c) {
          if (a == c) continue;
          const Wire w = m.wire(a, c, Bytes(0));
          worst = std::max(worst, w.overhead + w.latency + w.receive_overhead);
          best = std::min(best, w.overhead + w.latency + w.receive_overhead);
        }
      EXPECT_EQ(slowest_path(m).alpha, worst) << name << "\n" << lines;
      EXPECT_EQ(fastest_path(m).alpha, best) << name << "\n" << lines;
    }
}

}  // namespace
}  // namespace collcast
