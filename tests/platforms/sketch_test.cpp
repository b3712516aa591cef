// SPDX-License-Identifier: Apache-2.0
#include "platforms/picture/sketch.hpp"

#include <algorithm>
#include <set>

#include "support.hpp"

namespace collcast {
namespace {

using namespace testing;

TEST(Sketch, NamesWithoutTheNumbersOfNodesAndSwitches) {
  for (const auto& [name, kind] : {std::pair{"node 12 gpu0 to nvswitch", "gpu0 to nvswitch"},
                                   {"node 3 NIC 1 out", "NIC 1 out"},
                                   {"rank 7 in", "rank in"},
                                   {"director leaf 3 up 12", "director leaf up"},
                                   {"switch (0,1) to (0,2)", "switch to switch"},
                                   {"group 1 switch 2 to group 1 switch 3", "switch to switch of a group"},
                                   {"group 1 switch 2 to group 11 switch 3 cable 1", "group to group"},
                                   {"", ""}})
    EXPECT_EQ(alike(name), kind);
}

TEST(Sketch, CountsTheOtherGroups) {
  const Sketch s = sketch(read_blueprint(dragonfly(6, 3, 2)));
  EXPECT_EQ(s.boxes.back().name, "other groups");
  EXPECT_EQ(s.boxes.back().what, "2");
}

/// Whatever a platform's links and ports do has a place in its picture.
TEST(Sketch, HasEveryLinkAndPort) {
  std::vector<Description> all = networks();
  for (const Description& d : shipped_and_small()) all.push_back(d);
  for (const Description& d : all) {
    const Machine machine(d, static_cast<Rank>(std::min<std::int64_t>(capped_ranks(d), 600)));
    std::set<std::string> drawn, missing;
    const Sketch s = sketch(read_blueprint(d));
    for (const Sketch::Line& l : s.lines)
      for (const auto* way : {&l.forth, &l.back}) drawn.insert(way->begin(), way->end());
    const auto look = [&](const std::string& name) {
      if (!drawn.contains(alike(name))) missing.insert(name);
    };
    for (LinkId l = 0; l < machine.links().size(); ++l) look(machine.link_name(l));
    for (Port p = 0; p < machine.ports(); ++p) look(machine.port_name(p));
    EXPECT_TRUE(missing.empty()) << d.name() << ": " << *missing.begin() << " and " << missing.size() - 1;
  }
}

/// NVSwitches over GPUs, over PCIe switches, over CPUs, over NICs, over the levels of the network.
TEST(Sketch, StandsInRows) {
  const Sketch s = sketch(read_blueprint(load_platform("dgx-a100")));
  const auto row = [&](const std::string& name) {
    const auto box = std::ranges::find(s.boxes, name, &Sketch::Box::name);
    return box == s.boxes.end() ? -1 : box->row;
  };
  int expected = 0;
  for (const char* name : {"nvswitch", "gpu7", "plx3", "cpu1", "nic7", "leaf", "spine"})
    EXPECT_EQ(row(name), expected++) << name;
}

}  // namespace
}  // namespace collcast
