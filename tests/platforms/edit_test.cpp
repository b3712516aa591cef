// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "platforms/description/blueprint.hpp"
#include "support.hpp"
#include "support/json.hpp"

namespace collcast {
namespace {

using namespace testing;
using Kind = Blueprint::Vertex::Kind;

std::size_t number(const Description& d, Kind kind) {
  return read_blueprint(d).of_kind(kind).size();
}

Description with(const std::string& platform, const std::vector<std::string>& assignments) {
  Description d = load_platform(platform);
  set_all(d, assignments);
  return d;
}

TEST(Edit, FewerAdapters) {
  const Description d = with("summit", {"node.nics=1"});
  EXPECT_EQ(number(d, Kind::nic), 1u);
  EXPECT_EQ(Machine(d, 12).ranks_per_node(), 6);
  EXPECT_EQ(number(with("dgx-a100", {"node.nics=4"}), Kind::nic), 4u);
}

/// The vertices of a kind that are left, as "nic0 nic2 ".
std::string left(const Description& d, const std::string& kind) {
  std::string names;
  for (const auto& [name, vertex] : d.json()["node"]["vertices"].items())
    if (vertex["kind"] == kind) names += name + " ";
  return names;
}

TEST(Edit, ThoseThatStayAreSpreadOverSocketsAndSwitches) {
  EXPECT_EQ(left(with("dgx-a100", {"node.nics=4"}), "nic"), "nic0 nic2 nic4 nic6 ");
  EXPECT_EQ(left(with("dgx-a100", {"node.nics=3"}), "nic"), "nic0 nic2 nic5 ");
  // Summit has three GPUs on each socket.
  EXPECT_EQ(left(with("summit", {"node.gpus=4"}), "gpu"), "gpu0 gpu1 gpu3 gpu4 ");
}

TEST(Edit, FewerAndMoreGpusTakeTheirRanksAlong) {
  const Description d = with("dgx-a100", {"node.gpus=4"});
  EXPECT_EQ(number(d, Kind::gpu), 4u);
  EXPECT_EQ(Machine(d, 8).node(4), 1);
  const Description more = with("dgx-a100", {"node.gpus=16"});
  EXPECT_EQ(number(more, Kind::gpu), 16u);
  EXPECT_EQ(Machine(more, 17).node(16), 1);
  // A new one is linked like the one that it follows: to the NVSwitches and to a PCIe switch.
  const Json& links = more.json()["node"]["links"];
  EXPECT_EQ(std::ranges::count_if(links, [](const Json& l) { return l["between"][0] == "gpu8"; }), 2);
}

TEST(Edit, LinksOfAKind) {
  const Description d = with("dgx-a100", {"node.links.nvlink3.count=6"});
  for (const Blueprint::Line& l : read_blueprint(d).lines)
    if (read_blueprint(d).link_kinds[static_cast<std::size_t>(l.kind)].name == "nvlink3") {
      EXPECT_EQ(l.count, 6);
    }
  const Description slower = with("dgx-a100", {"node.links.pcie4-x16.kind=pcie3-x16"});
  std::set<std::string> kinds;
  for (const Blueprint::LinkKind& k : read_blueprint(slower).link_kinds) kinds.insert(k.name);
  EXPECT_TRUE(kinds.contains("pcie3-x16"));
  // Without NVLink GPUs meet on PCIe.
  EXPECT_EQ(with("dgx-a100", {"node.links.nvlink3.count=0"}).json()["node"]["links"].size(),
            load_platform("dgx-a100").json()["node"]["links"].size() - 8);
}

/// A broken cable, a link that came up slow.
TEST(Edit, LinksBetweenTwo) {
  const auto links = [](const Description& d) { return d.json()["node"]["links"]; };
  const auto of_kind = [&](const Description& d, const char* kind) {
    return std::ranges::count_if(links(d), [&](const Json& l) { return l["kind"] == kind; });
  };
  const Description whole = load_platform("dgx-1v");
  const Description broken = with("dgx-1v", {"node.links.gpu0-gpu3.count=0"});
  EXPECT_EQ(links(broken).size(), links(whole).size() - 1);
  for (const Json& l : links(broken)) EXPECT_NE(l["between"], Json({"gpu0", "gpu3"}));
  const Description half = with("dgx-1v", {"node.links.gpu3-gpu0.count=1"});
  for (const Json& l : links(half))
    if (l["between"] == Json({"gpu0", "gpu3"})) {
      EXPECT_EQ(l["count"], 1);
    }
  const Description slow = with("dgx-1v", {"node.links.gpu0-plx0.kind=qpi"});
  EXPECT_EQ(of_kind(slow, "qpi"), of_kind(whole, "qpi") + 1);
  EXPECT_EQ(of_kind(slow, "pcie3-x16"), of_kind(whole, "pcie3-x16") - 1);
}

TEST(Edit, SeveralAtOnceAndWithParameters) {
  const Description d = with("dgx-a100", {"node.gpus=4", "node.nics=4", "network.bandwidth_GBps=50"});
  EXPECT_EQ(Machine(d, 8).node(4), 1);
  EXPECT_EQ(d.json()["network"]["bandwidth_GBps"]["value"], 50);
}

TEST(Edit, RefusesInOneLine) {
  const auto said = [](const std::string& platform, const std::string& a) {
    return complaint([&] { with(platform, {a}); });
  };
  EXPECT_EQ(said("summit", "node.nics=0"), "--set: node.nics: must be an integer from 1 to 256, not '0'");
  EXPECT_EQ(said("summit", "node.nics=two"), "--set: node.nics: must be an integer from 1 to 256, not 'two'");
  EXPECT_EQ(said("flat", "node.nics=2"), "--set: node.nics: there is no nic to begin with");
  EXPECT_EQ(
      said("dgx-1v", "node.gpus=9"),
      "--set: node.gpus: gpu0 has a link to gpu1: where another one would be linked is not clear; at most 8");
  EXPECT_EQ(
      said("dgx-a100", "node.links.pcie4-x16.count=0"),
      "dgx-a100: node.links: no route from gpu0 to cpu0 (routes pass through cpu and switch vertices only)");
  EXPECT_EQ(said("dgx-a100", "node.links.pcie4-x16.kind=pcie9"),
            "dgx-a100: node.links.8.kind: there is no link kind 'pcie9'; did you mean 'pcie4-x16', "
            "'pcie4-x4', ... or 'pcie3-x4'?");
  EXPECT_EQ(said("dgx-a100", "node.links.pcie5-x16.count=2"),
            "--set: node.links.pcie5-x16.count: dgx-a100 has no such parameter; did you mean "
            "node.links.pcie4-x16.count?");
}

const char* const small_node = R"({
  "description": "two sockets of two GPUs",
  "max_nodes": 4,
  "devices": {"CPU": {"reduce_GBps": {"value": 10, "source": "s", "stamp": "guess"}}},
  "node": {
    "vertices": {
      "gpu": {"kind": "gpu", "device": "A100-SXM4-80GB", "count": 4},
      "cpu": {"kind": "cpu", "device": "CPU", "count": 2},
      "nic": {"kind": "nic"}
    },
    "links": [
      {"between": ["gpu", "gpu"], "kind": "nvlink3", "count": 4},
      {"between": ["gpu", "cpu"], "kind": "pcie4-x16"},
      {"between": ["cpu", "cpu"], "kind": "shared-memory"},
      {"between": ["cpu0", "cpu1"], "kind": "infinity-fabric"},
      {"between": ["nic", "cpu0"], "kind": "pcie4-x16"}
    ],
    "ranks_on": ["gpu"],
    "ranks_per_node": 4
  },
  "network": {"kind": "single-switch",
    "bandwidth_GBps": {"value": 23, "source": "s", "stamp": "guess"},
    "latency_us": {"value": 0.1, "source": "s", "stamp": "guess"},
    "switch_latency_us": {"value": 0.1, "source": "s", "stamp": "guess"}},
  "protocol": {"hold": "injection"}
})";

TEST(Repeat, IsWrittenOut) {
  const Description d = parse_platform(small_node, "small", "small.json");
  const Json& node = d.json()["node"];
  EXPECT_EQ(dump(node["ranks_on"]), R"(["gpu0","gpu1","gpu2","gpu3"])");
  std::multiset<std::string> links;
  for (const Json& l : node["links"])
    links.insert(l["between"][0].get<std::string>() + " " + l["between"][1].get<std::string>());
  const std::multiset<std::string> expected = {
      "gpu0 gpu1", "gpu0 gpu2", "gpu0 gpu3", "gpu1 gpu2", "gpu1 gpu3", "gpu2 gpu3",  // a full mesh
      "gpu0 cpu0", "gpu1 cpu0", "gpu2 cpu1", "gpu3 cpu1",                            // two a socket
      "cpu0 cpu0", "cpu1 cpu1", "cpu0 cpu1", "nic cpu0"};
  EXPECT_EQ(links, expected);
  EXPECT_EQ(Machine(d, 8).node(4), 1);
}

TEST(Repeat, RefusesWhatDoesNotDivide) {
  const auto said = [](const std::string& from, const std::string& to) {
    std::string text = small_node;
    text.replace(text.find(from), from.size(), to);
    return complaint([&] { parse_platform(text, "small", "small.json"); });
  };
  EXPECT_EQ(said(R"("count": 4},)", R"("count": 3},)"),
            "small.json: node.links.1.between: 3 gpu and 2 cpu do not divide; name them one by one");
  EXPECT_EQ(said(R"("count": 4},)", R"("count": 0},)"),
            "small.json: node.vertices.gpu.count: must be an integer from 1 to 256");
  EXPECT_EQ(said(R"("nic": {)", R"("cpu1": {)"), "small.json: node.vertices.cpu: its cpu1 is there already");
}

TEST(EditOfAFile, IsLaidOverItsBase) {
  const auto parsed = [](const std::string& edits) {
    return parse_platform(R"({"base": "dgx-a100", "description": "half of it", "edit": [)" + edits + "]}",
                          "half", "half.json");
  };
  const Description d = parsed(R"("node.gpus=4", "node.nics=4", "network.levels.0.up=10")");
  EXPECT_EQ(number(d, Kind::gpu), 4u);
  EXPECT_EQ(d.json()["network"]["levels"][0]["up"], 10);
  EXPECT_FALSE(d.json().contains("edit"));
  EXPECT_EQ(complaint([&] { parsed(R"("network.bandwidth_GBps=50")"); }),
            "half.json: edit: network.bandwidth_GBps: is a parameter: give it in its place, with its source "
            "and stamp");
  EXPECT_EQ(complaint([&] { parsed("4"); }),
            R"(half.json: edit: must be a list of strings, as in ["node.nics=1"])");
  EXPECT_EQ(complaint([&] { parsed(R"("node.cpus=4")"); }),
            "half.json: edit: node.cpus: half.json has no such parameter; did you mean node.gpus?");
  // Of eight NICs each, these levels take one node.
  const std::string small =
      R"({"base": "dgx-a100", "description": "a few", "max_nodes": 8, "network": {"levels": [
      {"name": "leaf", "down": 4, "up": 1}, {"name": "top", "down": 2}]}, "edit": ["node.nics=1"]})";
  EXPECT_EQ(parse_platform(small, "few", "few.json").json()["max_nodes"], 8);
}

}  // namespace
}  // namespace collcast
