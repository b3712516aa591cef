// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "support.hpp"
#include "support/json.hpp"
#include "support/suggest.hpp"

namespace collcast {
namespace {

using namespace testing;

std::string complaint_about(const std::string& platform, const std::string& pointer, const Json& value) {
  return complaint([&] { edited(platform, pointer, value); });
}

const Json good = {{"value", 1.0}, {"source", "s"}, {"stamp", "guess"}};

Json good_with(const std::string& key, const Json& value) {
  Json json = good;
  json[key] = value;
  return json;
}

TEST(Errors, UnknownKeySuggestsTheNearest) {
  EXPECT_EQ(complaint_about("summit", "/network/bandwith_GBps", good),
            "x.json: network.bandwith_GBps: unknown key; did you mean bandwidth_GBps? (accepted here: kind, "
            "bandwidth_GBps, latency_us, switch_latency_us, switch_ports, levels, routing, routing_seed, "
            "nodes_per_switch, switches_per_node, dimensions, link_bandwidth_GBps, link_latency_us, groups, "
            "switches_per_group, chassis_per_group, links_between_groups, local_bandwidth_GBps, "
            "chassis_bandwidth_GBps, "
            "global_bandwidth_GBps, global_latency_us, multicast, "
            "in_network_reduction)");
}

TEST(Errors, CalibratedOn) {
  const Json on = load_platform("abci-v-nccl").json()["calibrated_on"];
  const auto with_item = [&](const char* key, const Json& value) {
    Json items = on;
    items[0][key] = value;
    return complaint_about("summit", "/calibrated_on", items);
  };
  EXPECT_EQ(with_item("ranks", {4, 8}), "");
  EXPECT_EQ(with_item("ranks", {8, 4}),
            "x.json: calibrated_on.0.ranks: must be the least and the most, as in [4, 8]");
  EXPECT_EQ(with_item("message_B", {4}),
            "x.json: calibrated_on.0.message_B: must be the least and the most, as in [4, 8]");
  EXPECT_EQ(with_item("ranks", {0, 4}),
            "x.json: calibrated_on.0.ranks.0: must be an integer from 1 to 16777216, not 0");
  EXPECT_EQ(with_item("within_tables", 7),
            "x.json: calibrated_on.0.within_tables: must be a number from 0 to 1, not 7");
  EXPECT_TRUE(with_item("collectives", {"allsum"})
                  .starts_with("x.json: calibrated_on.0.collectives.0: must be one of "));
}

TEST(Errors, MissingUnit) {
  const std::string said = complaint_about("summit", "/network/bandwidth", good);
  EXPECT_TRUE(said.starts_with("x.json: network.bandwidth: unknown key; did you mean bandwidth_GBps?"))
      << said;
}

TEST(Errors, Values) {
  const std::string at = "/network/bandwidth_GBps", says = "x.json: network.bandwidth_GBps: ";
  EXPECT_EQ(complaint_about("summit", at, good_with("value", -1)), says + "must be a number above 0, not -1");
  EXPECT_EQ(complaint_about("summit", at, good_with("value", 0)), says + "must be a number above 0, not 0");
  EXPECT_EQ(complaint_about("summit", at, good_with("value", nullptr)),
            says + "must be a number above 0, not null");
  EXPECT_EQ(complaint_about("summit", at, good_with("value", std::nan(""))),
            says + "must be a number above 0, not null");
  EXPECT_EQ(complaint_about("summit", at, good_with("value", "12")),
            says + "must be a number above 0, not \"12\"");
  EXPECT_EQ(complaint_about("summit", at, good_with("value", 1e30)),
            says + "1e+30 is beyond any machine; mind the unit");
  EXPECT_EQ(complaint_about("summit", at, 12.5),
            says + R"(must be {"value": number, "source": "...", "stamp": "..."}, not 12.5)");
  EXPECT_EQ(complaint_about("summit", "/network/latency_us", good_with("value", -1)),
            "x.json: network.latency_us: must be a number of at least 0, not -1");
  EXPECT_EQ(complaint_about("summit", "/network/latency_us", good_with("value", 0)), "");
}

TEST(Errors, Pedigree) {
  const std::string at = "/network/bandwidth_GBps", says = "x.json: network.bandwidth_GBps";
  EXPECT_EQ(complaint_about("summit", at, {{"value", 1}, {"stamp", "guess"}}), says + ": lacks its source");
  EXPECT_EQ(complaint_about("summit", at, {{"value", 1}, {"source", "s"}}), says + ": lacks its stamp");
  EXPECT_EQ(complaint_about("summit", at, good_with("source", "")),
            says + ".source: must say where the value comes from");
  EXPECT_EQ(complaint_about("summit", at, good_with("stamp", "sure")),
            says + ".stamp: must be measured, calibrated, datasheet, derived, guess or what-if");
  EXPECT_EQ(
      complaint_about("summit", at, good_with("sorce", "s")),
      says + ".sorce: unknown key; did you mean source? (accepted here: value, source, stamp, low, high)");
}

TEST(Errors, IntervalsOfParameters) {
  const std::string at = "/network/bandwidth_GBps", says = "x.json: network.bandwidth_GBps";
  const auto with = [](Json low, Json high) {
    Json p = good;
    if (!low.is_null()) p["low"] = low;
    if (!high.is_null()) p["high"] = high;
    return p;
  };
  EXPECT_EQ(complaint_about("summit", at, with(0.9, 1.2)), "");
  EXPECT_EQ(complaint_about("summit", at, with(0.9, nullptr)), says + ": lacks its high");
  EXPECT_EQ(complaint_about("summit", at, with(nullptr, 1.1)), says + ": lacks its low");
  EXPECT_EQ(complaint_about("summit", at, with(1.1, 1.2)),
            says + ": low, value and high must not fall: 1.1, 1.0, 1.2");
  EXPECT_EQ(complaint_about("summit", at, with(-1, 1.2)), says + ".low: must be a number above 0, not -1");
}

TEST(Errors, ALibraryNeedsItsProvenance) {
  const auto complaint = [](const Json& library) { return complaint_about("summit", "/library", library); };
  EXPECT_EQ(complaint("nccl-2.18"),
            R"(x.json: library: must be {"value": "...", "source": "...", "stamp": "..."}, not "nccl-2.18")");
  EXPECT_EQ(complaint({{"value", "nccl-2.18"}, {"stamp", "guess"}}), "x.json: library: lacks its source");
  EXPECT_EQ(complaint({{"value", 2.18}, {"source", "s"}, {"stamp", "guess"}}),
            "x.json: library.value: must be a string, not 2.18");
}

TEST(Errors, Topology) {
  Json json = load_platform("summit").json();
  json["node"]["links"].erase(12);  // the X-bus
  EXPECT_EQ(
      complaint([&] { Description("x", "x.json", json); }),
      "x.json: node.links: no route from gpu0 to gpu3 (routes pass through cpu and switch vertices only)");
  EXPECT_EQ(complaint_about("summit", "/node/links/0/between/1", "gpu7"),
            "x.json: node.links.0.between.1: there is no vertex 'gpu7'; did you mean 'gpu0', 'gpu1', ... or "
            "'gpu5'?");
  EXPECT_EQ(complaint_about("summit", "/node/links/0/kind", "nvlink"),
            "x.json: node.links.0.kind: there is no link kind 'nvlink'; did you mean 'nvlink2', 'nvlink1', "
            "... or 'nvlink5'?");
  EXPECT_EQ(complaint_about("summit", "/node/links/1/between", {"gpu1", "gpu0"}),
            "x.json: node.links.1: a second link between these two; give the first one a count");
  const Json other = {{"between", {"gpu1", "gpu0"}}, {"kind", "x-bus"}};
  EXPECT_EQ(complaint_about("summit", "/node/links/1", other),
            "x.json: node.links.1: a second link between these two; two vertices have links of one kind: "
            "describe both by one kind, of their bandwidths together");
  EXPECT_EQ(complaint_about("summit", "/node/links/1",
                            {{"between", {"gpu1", "gpu0"}}, {"kind", "nvlink2"}, {"ways", 1}}),
            "x.json: node.links.1: a second link between these two; give the first one a count");
  EXPECT_EQ(complaint_about("summit", "/node/links/0/ways", 3),
            "x.json: node.links.0.ways: must be an integer from 1 to 2, not 3");
  EXPECT_EQ(complaint_about("summit", "/node/links/1/between", {"gpu1"}),
            "x.json: node.links.1.between: must name two vertices");
  EXPECT_EQ(complaint_about("summit", "/node/ranks_on/0", "nic0"),
            "x.json: node.ranks_on.0: ranks sit on gpu and cpu vertices only");
  EXPECT_EQ(complaint_about("summit", "/node/ranks_per_node", 4),
            "x.json: node.ranks_per_node: must be a multiple of the 6 vertices in node.ranks_on, not 4");
  EXPECT_EQ(complaint_about("summit", "/node/vertices/gpu0", {{"kind", "gpu"}}),
            "x.json: node.vertices.gpu0: holds data of ranks, so it needs a device");
  EXPECT_EQ(complaint_about("frontier", "/devices/EPYC-7A53-quarter", Json::object()),
            "x.json: node.vertices.numa0: its device needs reduce_GBps or memory_bandwidth_GBps");
}

TEST(Errors, Networks) {
  EXPECT_EQ(complaint_about("summit", "/network/levels/0/down", 20),
            "x.json: network.levels.0: 20 ports down and 18 up do not fit a switch of 36 (switch_ports)");
  EXPECT_EQ(complaint_about("summit", "/network/levels/2/down", 18),
            "x.json: network.levels: this tree has room for 2916 nodes, but max_nodes is 4608: a group of 18 "
            "nodes has 2 leaf switches, one for each NIC of a node, and the levels above take 324: raise "
            "levels.2.down");
  EXPECT_EQ(
      complaint_about("summit", "/network/levels", Json::array({{{"name", "TOR"}, {"down", 18}}})),
      "x.json: network.levels: this tree has room for 0 nodes, but max_nodes is 4608: a group of 18 nodes "
      "has 2 leaf switches, one for each NIC of a node, and the levels above take 1: add one");
  EXPECT_NE(
      complaint_about("summit", "/network/levels/0/down", 1).find("a group of 1 node has 2 leaf switches"),
      std::string::npos);
  EXPECT_EQ(complaint_about("edr-cluster", "/max_nodes", 649),
            "x.json: network.levels: this tree has room for 648 nodes, but max_nodes is 649: levels.1 has 36 "
            "ports; in a file give it as many up as down, and add a level above");
  const std::string first = load_platform("summit").json()["network"]["levels"][0]["name"];
  EXPECT_EQ(complaint_about("summit", "/network/levels/2/name", first),
            "x.json: network.levels.2.name: another level is called " + first);
  EXPECT_EQ(complaint_about("summit", "/network/levels/2/up", 18),
            "x.json: network.levels.2: the top level has no way up: drop up, cables and bandwidth_GBps");
  EXPECT_EQ(complaint_about("localhost", "/max_nodes", 2),
            "x.json: max_nodes: must be 1 where network.kind is none");
  EXPECT_EQ(
      complaint_about("summit", "/network/kind", "hypercube"),
      "x.json: network.kind: must be one of none, uniform, single-switch, fat-tree, torus, dragonfly, not "
      "\"hypercube\"");
  EXPECT_EQ(complaint_about("summit", "/network/kind", "uniform"),
            "x.json: network.kind: uniform needs nodes of one vertex with one rank; use single-switch");
  EXPECT_EQ(complaint_about("summit", "/network/kind", "single-switch"),
            "x.json: network.switch_ports: a switch of 36 ports does not take 9216 NICs");
  EXPECT_EQ(complaint_about("summit", "/max_nodes", 0),
            "x.json: max_nodes: must be an integer from 1 to 16777216, not 0");
}

TEST(Errors, TorusAndDragonfly) {
  const auto said = [](std::int64_t nodes, const std::vector<std::string>& settings) {
    return complaint([&] { rewired(nodes, settings); });
  };
  EXPECT_EQ(said(9, {"kind=torus"}), "edr-cluster: network: a torus needs dimensions");
  EXPECT_EQ(said(9, {"kind=torus", "dimensions=3,0"}),
            "--set: network.dimensions.1: must be an integer from 1 to 4096, not 0");
  EXPECT_EQ(said(9, {"kind=torus", "dimensions=3,x"}), "--set: network.dimensions: 'x' is not an integer");
  EXPECT_EQ(said(10, {"kind=torus", "dimensions=3,3"}),
            "edr-cluster: network.dimensions: this torus has room for 9 nodes, but max_nodes is 10");
  EXPECT_EQ(said(9, {"kind=torus", "dimensions=4096,4096,4096,4096,4096,4096,4096,4096"}),
            "edr-cluster: network.dimensions: at most 1048576 switches, not 2097152 or more");
  EXPECT_EQ(said(9, {"kind=torus", "dimensions=1,1,1,1,1,1,1,1,1"}),
            "edr-cluster: network.dimensions: at most 8 dimensions");
  EXPECT_EQ(said(9, {"kind=torus", "dimensions=3,3", "switch_ports=4"}),
            "edr-cluster: network.switch_ports: 1 ports to nodes and 4 to switches do not fit a switch of 4");
  EXPECT_EQ(said(9, {"kind=torus", "dimensions=3,3", "groups=3"}),
            "edr-cluster: network.groups: does not apply where network.kind is torus");
  EXPECT_EQ(said(9, {"kind=torus", "dimensions=3,3", "routing=ecmp"}),
            "edr-cluster: network.routing: must be minimal or valiant where network.kind is torus, not ecmp");
  EXPECT_EQ(said(9, {"kind=torus", "dimensions=3,3", "routing_seed=2"}),
            "edr-cluster: network.routing_seed: goes with the routing valiant");
  EXPECT_EQ(said(6, {"kind=dragonfly", "groups=3", "switches_per_group=2", "switches_per_node=2"}),
            "edr-cluster: network.switches_per_node: must be 1 or the NICs of a node, 1, not 2");
  EXPECT_EQ(complaint_about("dgx-a100", "/network/switches_per_node", 3),
            "x.json: network.switches_per_node: must be 1 or the NICs of a node, 8, not 3");
  EXPECT_EQ(said(6, {"kind=dragonfly", "groups=3", "switches_per_group=3", "chassis_per_group=2"}),
            "edr-cluster: network.switches_per_group: must be a multiple of chassis_per_group, 2, not 3");
  EXPECT_EQ(complaint_about("frontier", "/network/switches_per_group", 31),
            "x.json: network.switches_per_group: must be a multiple of switches_per_node, 4, not 31");
  EXPECT_EQ(said(9, {"dimensions=3,3"}),
            "edr-cluster: network.dimensions: does not apply where network.kind is fat-tree");
  EXPECT_EQ(said(6, {"kind=dragonfly", "switches_per_group=2"}),
            "edr-cluster: network: a dragonfly needs groups");
  EXPECT_EQ(said(6, {"kind=dragonfly", "groups=3"}),
            "edr-cluster: network: a dragonfly needs switches_per_group");
  EXPECT_EQ(said(7, {"kind=dragonfly", "groups=3", "switches_per_group=2"}),
            "edr-cluster: network.groups: this dragonfly has room for 6 nodes, but max_nodes is 7");
  // A node, the other switch of the group, and 8 of the 16 links to the 8 other groups.
  EXPECT_EQ(said(6, {"kind=dragonfly", "groups=9", "switches_per_group=2", "links_between_groups=2",
                     "switch_ports=9"}),
            "edr-cluster: network.switch_ports: 1 ports to nodes and 9 to switches do not fit a switch of 9");
  EXPECT_EQ(said(6, {"kind=dragonfly", "groups=9", "switches_per_group=2", "links_between_groups=2",
                     "switch_ports=10"}),
            "");
  EXPECT_EQ(complaint_about("summit", "/network/routing", "adaptive"),
            "x.json: network.routing: must be d-mod-k or ecmp where network.kind is fat-tree, not adaptive");
  EXPECT_EQ(
      complaint_about("summit", "/network/routing", "scenic"),
      "x.json: network.routing: must be one of d-mod-k, ecmp, minimal, valiant, adaptive, not \"scenic\"");
  EXPECT_EQ(complaint_about("summit", "/network/routing_seed", 3),
            "x.json: network.routing_seed: goes with the routing ecmp");
}

TEST(Errors, Syntax) {
  auto said = [](const std::string& text) { return complaint([&] { parse_platform(text, "x", "x.json"); }); };
  const std::string missing = said("{\n  \"description\": \"d\"\n  \"max_nodes\": 1\n}");
  EXPECT_TRUE(missing.starts_with("x.json: line 3, column 13: syntax error while parsing object")) << missing;
  EXPECT_EQ(said(""), "x.json: is empty; expected JSON");
  EXPECT_TRUE(said(R"({"max_nodes": NaN})").starts_with("x.json: line 1, column 15: syntax error"));
  for (const auto& [text, what] : {std::pair{R"({"max_nodes": 1} // mine)", "JSON has no comments"},
                                   {"{# mine\n}", "JSON has no comments"},
                                   {R"({'max_nodes': 1})", "JSON's names and texts are in double quotes"},
                                   {R"({max_nodes: 1})", "'max_nodes' is not in double quotes"},
                                   {R"({"max_nodes": 1,})", "JSON has no comma after the last"},
                                   {R"({"max_nodes": nan})", "JSON has no NaN and no infinity"},
                                   {R"({"max_nodes": -Infinity})", "JSON has no NaN and no infinity"},
                                   {R"({"max_nodes": None})", "JSON has true, false and null, not None"},
                                   {R"({"max_nodes": 1_000})", "'1_000' is no number in JSON"},
                                   {R"({"max_nodes": .5})", "'.5' is no number in JSON"}})
    EXPECT_NE(said(text).find(std::string(": syntax error: ") + what), std::string::npos) << said(text);
  EXPECT_EQ(said(R"({"max_nodes": 1, "max_nodes": 2})"),
            "x.json: the key max_nodes appears twice in one object");
  EXPECT_EQ(said(std::string(100000, '[')), "x.json: nested more than 32 levels deep");
  EXPECT_EQ(said("{}"), "x.json: lacks the key description");
  EXPECT_TRUE(said("[]").starts_with("x.json: must be an object with the keys base, description"));
  EXPECT_TRUE(said(R"({"max_nodes": 1e999})").starts_with("x.json: number overflow"))
      << said(R"({"max_nodes": 1e999})");
}

TEST(Errors, Names) {
  EXPECT_EQ(complaint([] { load_platform("sumit"); }),
            "there is no platform 'sumit'; did you mean summit? (known: " + join(shipped_platforms()) +
                ", or the path of a .json file)");
  EXPECT_EQ(complaint([] { load_platform("no/such.json"); }),
            "no/such.json: cannot be read: No such file or directory");
  EXPECT_EQ(complaint([] { load_platform("/tmp/"); }),
            "/tmp/: cannot be read: it is a folder; expected a file");
}

class Files : public ::testing::Test {
 protected:
  static std::string write(const std::string& name, const std::string& text) {
    const std::string path = scratch(name);
    std::ofstream(path) << text;
    return path;
  }
};

TEST_F(Files, BaseIsOverridden) {
  const std::string path = write("half-summit.json", R"({"base": "summit", "max_nodes": 2304,
    "network": {"bandwidth_GBps": {"value": 5, "source": "a test", "stamp": "measured"}}})");
  const Description d = load_platform(path);
  EXPECT_EQ(d.name(), "half-summit");
  EXPECT_EQ(max_ranks(d), 2304 * 6);
  EXPECT_NEAR(GBps(Machine(d, 12).wire(0, 6, Bytes(0)).per_byte), 5, 1e-9);
  EXPECT_EQ(Machine(d, 12).platform(), "half-summit");
}

/// Wherever the program runs.
TEST_F(Files, BaseIsBesideItsFile) {
  write("inner.json", R"({"base": "summit"})");
  for (const char* beside : {"inner.json", "./inner.json"})
    EXPECT_EQ(max_ranks(load_platform(write("outer.json", R"({"base": ")" + std::string(beside) + "\"}"))),
              max_ranks(load_platform("summit")));
  const std::string outer = write("outer.json", R"({"base": "none.json"})");
  EXPECT_EQ(complaint([&] { load_platform(outer); }),
            outer + ": base: " + scratch("none.json") + ": cannot be read: No such file or directory");
}

TEST_F(Files, BaseMustEnd) {
  const std::string a = scratch("a.json"), b = scratch("b.json");
  write("a.json", R"({"base": ")" + b + "\"}");
  write("b.json", R"({"base": ")" + a + "\"}");
  EXPECT_EQ(complaint([&] { load_platform(a); }), b + ": base: goes round: " + a + ", " + b + ", " + a);
  EXPECT_TRUE(complaint([&] { load_platform(write("c.json", R"({"base": "sumit"})")); })
                  .ends_with("c.json: base: there is no platform 'sumit'; did you mean summit? (known: " +
                             join(shipped_platforms()) + ", or the path of a .json file)"));
  EXPECT_TRUE(complaint([&] {
                load_platform(write("d.json", R"({"base": 3})"));
              }).ends_with("d.json: base: must be the name of a platform or the path of a file"));
}

}  // namespace
}  // namespace collcast
