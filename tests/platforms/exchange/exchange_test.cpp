// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <map>
#include <pugixml.hpp>
#include <random>
#include <tuple>
#include <vector>

#include "../support.hpp"
#include "libraries/nccl/ring_search.hpp"
#include "platforms/exchange/export.hpp"
#include "platforms/exchange/import.hpp"
#include "support/json.hpp"
#include "tests/mutated.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using namespace testing;

std::string file(const std::string& name, const std::string& text) {
  const std::string path = scratch(name);
  std::ofstream(path) << text;
  return path;
}

Description imported(const std::string& path) {
  return parse_platform(dump(import_platform(path)), "imported", path);
}

const std::string nccl = R"(<system version="1">
  <cpu numaid="0" affinity="ffff" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85">
    <pci busid="0000:3a:00.0" class="0x060400" link_speed="8 GT/s" link_width="16">
      <pci busid="0000:3d:00.0" class="0x030200" link_speed="8 GT/s" link_width="16">
        <gpu dev="0" sm="70" rank="0" gdr="1">
          <nvlink target="0000:3e:00.0" count="2" tclass="0x030200"/>
          <nvlink target="0000:b1:00.0" count="2" tclass="0x030200"/>
        </gpu>
      </pci>
      <pci busid="0000:3e:00.0" class="0x030200" link_speed="8 GT/s" link_width="16">
        <gpu dev="1" sm="70" rank="1" gdr="1">
          <nvlink target="0000:3d:00.0" count="2" tclass="0x030200"/>
          <nvlink target="0000:b1:00.0" count="2" tclass="0x030200"/>
        </gpu>
      </pci>
      <pci busid="0000:3b:00.0" class="0x020700" link_speed="8 GT/s" link_width="16">
        <nic><net name="mlx5_0" dev="0" speed="100000" port="1" gdr="1"/></nic>
      </pci>
    </pci>
  </cpu>
  <cpu numaid="1" arch="x86_64" vendor="GenuineIntel">
    <pci busid="0000:b1:00.0" class="0x030200" link_speed="8 GT/s" link_width="16">
      <gpu dev="2" sm="70" rank="2" gdr="1">
        <nvlink target="0000:3d:00.0" count="2" tclass="0x030200"/>
        <nvlink target="0000:3e:00.0" count="2" tclass="0x030200"/>
      </gpu>
    </pci>
  </cpu>
</system>)";

TEST(Import, ElementsDeepInEachOtherAreRefused) {
  const auto nested = [](const std::string& root, const std::string& element, int times) {
    std::string text = "<" + root + ">";
    for (int i = 0; i < times; ++i) text += "<" + element + ">";
    for (int i = 0; i < times; ++i) text += "</" + element + ">";
    return file("deep.xml", text + "</" + root + ">");
  };
  for (const auto& [root, element] :
       {std::pair{"system", "pci"}, {"topology", "object"}, {"platform", "zone"}})
    for (const int times : {100, testing::all_or_one_in(5, 1'000'000)}) {
      const std::string path = nested(root, element, times);
      EXPECT_EQ(complaint([&] { import_platform(path); }),
                path + ": has elements more than 100 deep in each other");
    }
}

TEST(ImportNccl, NodeOfThreeGpus) {
  const Description d = imported(file("nccl.xml", nccl));
  const Machine m(d, 6);
  EXPECT_EQ(m.ranks_per_node(), 3);
  // Two NVLinks between any two GPUs, each listed by both ends and joined once; PCIe gen3 and 12.5 GB/s out.
  EXPECT_NEAR(GBps(m.wire(0, 1, Bytes(0)).per_byte), 50, 1e-9);
  EXPECT_NEAR(GBps(m.wire(2, 0, Bytes(0)).per_byte), 50, 1e-9);
  EXPECT_NEAR(GBps(m.wire(0, 3, Bytes(0)).per_byte), 12, 1e-9);
  EXPECT_EQ(d.json()["network"]["bandwidth_GBps"]["value"], 12.5);
  EXPECT_EQ(
      find_channels(read_blueprint(d), ChannelShape::ring, ChannelReach::node, nccl_speeds(18, Gpu::volta))
          .channels.size(),
      4u);
}

TEST(ImportNccl, Nvswitch) {
  const auto system = [](const std::string& vendor, const std::string& sm) {
    std::string gpus;
    for (const std::string busid : {"1:0", "2:0"})
      gpus += "<pci busid=\"" + busid + "\" link_speed=\"16 GT/s\" link_width=\"16\"><gpu sm=\"" + sm +
              "\">" +
              R"(<nvlink target="c:0" count="6" tclass="0x068000"/><nvlink target="c:1" count="6"
                 tclass="0x068000"/></gpu></pci>)";
    return "<system><cpu vendor=\"" + vendor + "\">" + gpus + "</cpu></system>";
  };
  const Description d = imported(file("nvswitch.xml", system("AuthenticAMD", "80")));
  EXPECT_NEAR(GBps(Machine(d, 2).wire(0, 1, Bytes(0)).per_byte), 12 * 25, 1e-9);
  EXPECT_EQ(max_ranks(d), 2);
  const auto share = [&](const std::string& sm) {  // what NVLS makes of the links differs by generation
    const Json json = import_platform(file("nvls.xml", system("GenuineIntel", sm)));
    return json["node"]["in_network_reduction"]["bandwidth_share"]["value"];
  };
  EXPECT_EQ(share("90"),
            load_platform("dgx-h100").json()["node"]["in_network_reduction"]["bandwidth_share"]["value"]);
  EXPECT_EQ(share("100"),
            load_platform("dgx-b200").json()["node"]["in_network_reduction"]["bandwidth_share"]["value"]);
}

/// Two ports of an adapter get no more than its slot carries; unknown speeds are what NCCL takes them for.
TEST(ImportNccl, PortsShareASlot) {
  const auto node = [](const std::string& ports, const std::string& speed) {
    return "<system><cpu arch=\"x86_64\"><pci busid=\"1:0\" link_speed=\"" + speed +
           "\" link_width=\"0\"><gpu sm=\"80\"/></pci><pci busid=\"2:0\" link_speed=\"8 GT/s\" "
           "link_width=\"16\"><nic>" +
           ports + "</nic></pci></cpu></system>";
  };
  const std::string one = R"(<net name="a" speed="100000"/>)", other = R"(<net name="b" speed="100000"/>)";
  const Json ports = import_platform(file("ports.xml", node(one + other, "8 GT/s")));
  int to_the_root = 0;
  for (const Json& l : ports["node"]["links"])
    to_the_root += l["kind"] == "pcie3-x16" && l["between"][1] == "cpu0";
  EXPECT_EQ(to_the_root, 2);  // the GPU's and the adapter's
  EXPECT_EQ(Machine(imported(file("ports.xml", node(one + other, "8 GT/s"))), 1).ranks_per_node(), 1);
  const Json unknown =
      import_platform(file("virtual.xml", node(R"(<net name="a" speed="-1"/>)", "Unknown speed")));
  EXPECT_EQ(unknown["network"]["bandwidth_GBps"]["value"], 1.25);
  EXPECT_NE(unknown["notes"].dump().find("unknown speed"), std::string::npos);
}

/// How many links of `kind` there are between the two, in either order.
int links_between(const Json& platform, const std::string& a, const std::string& b, const std::string& kind) {
  int count = 0;
  for (const Json& l : platform["node"]["links"])
    if ((l["between"] == Json{a, b} || l["between"] == Json{b, a}) && l["kind"] == kind)
      count += l.value("count", 1);
  return count;
}

/// RCCL's `sm` is no compute capability, and its links are <xgmi>.
TEST(ImportNccl, GpusOfAmd) {
  const auto node = [](const std::string& gcn) {
    const auto gpu = [&gcn](const std::string& at, const std::string& peer) {
      return "<pci busid=\"" + at +
             "\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\"><gpu sm=\"90\" gcn=\"" + gcn +
             "\"><xgmi target=\"" + peer + "\" count=\"4\" tclass=\"0x038000\"/></gpu></pci>";
    };
    return file("rccl.xml", "<system version=\"2\"><cpu arch=\"x86_64\" vendor=\"AuthenticAMD\">" +
                                gpu("c1", "c6") + gpu("c6", "c1") + "</cpu></system>");
  };
  for (const auto& [gcn, device, kind] : {std::tuple{"910", "MI250X-GCD", "xgmi-mi200"},
                                          {"gfx90a", "MI250X-GCD", "xgmi-mi200"},
                                          {"gfx942", "MI300X", "xgmi-mi300"},
                                          {"906", "MI50", "xgmi-mi50"}}) {
    const Description d = imported(node(gcn));
    EXPECT_EQ(d.json()["node"]["vertices"]["gpu1"]["device"], device) << gcn;
    EXPECT_EQ(links_between(d.json(), "gpu0", "gpu1", kind), 4) << gcn;
    EXPECT_EQ(d.json()["notes"].size(), 1u) << gcn;
  }
  EXPECT_NEAR(GBps(Machine(imported(node("gfx90a")), 2).wire(0, 1, Bytes(0)).per_byte), 200, 1e-9);
  EXPECT_NE(complaint([&] {
              import_platform(node("gfx1100"));
            }).find("gcn 'gfx1100' is not known; known are gfx900"),
            std::string::npos);
}

/// Those of the RTX 3090 are slower than those of the A100.
TEST(ImportNccl, NvlinksOfGa102) {
  const auto gpu = [](const std::string& at, const std::string& peer) {
    return "<pci busid=\"" + at + "\" device=\"0x2204\"><gpu sm=\"86\"><nvlink target=\"" + peer +
           "\" count=\"4\" tclass=\"0x030000\"/></gpu></pci>";
  };
  const Description d = imported(
      file("ga102.xml", "<system><cpu arch=\"x86_64\">" + gpu("1", "2") + gpu("2", "1") + "</cpu></system>"));
  EXPECT_NEAR(GBps(Machine(d, 2).wire(0, 1, Bytes(0)).per_byte), 56.25, 1e-9);
  EXPECT_EQ(d.json()["node"]["vertices"]["gpu0"]["device"], "RTX-3090");
}

/// A link that one end lists is a link; of two entries for the same ends the counts add up.
TEST(ImportNccl, LinksThatOneEndLists) {
  const Description d = imported(file("one-end.xml", R"(<system><cpu arch="x86_64">
    <pci busid="1"><gpu sm="70"/></pci>
    <pci busid="2"><gpu sm="70"><nvlink target="1" count="1"/><nvlink target="1" count="2"/></gpu></pci></cpu></system>)"));
  EXPECT_EQ(links_between(d.json(), "gpu0", "gpu1", "nvlink2"), 3);
}

TEST(ImportNccl, SocketsByVendorAndModel) {
  const auto node = [](const std::string& attributes, int cpus) {
    std::string text = "<system>";
    for (int c = 0; c < cpus; ++c)
      text += "<cpu " + attributes + "><pci busid=\"" + std::to_string(c) + "\"><gpu sm=\"80\"/></pci></cpu>";
    return imported(file("sockets.xml", text + "</system>")).json();
  };
  const std::string intel = R"(arch="x86_64" vendor="GenuineIntel" familyid="6" modelid=)";
  for (const auto& [attributes, kind] :
       {std::pair{intel + "\"79\"", "qpi-broadwell"},
        {intel + "\"85\"", "upi"},
        {intel + "\"143\"", "upi-sapphire-rapids"},
        {intel + "\"207\"", "upi-emerald-rapids"},
        {intel + "\"173\"", "upi-emerald-rapids"},
        {R"(arch="x86_64" vendor="AuthenticAMD" familyid="143" modelid="49")", "infinity-fabric"},
        {R"(arch="ppc64")", "x-bus"},
        {R"(arch="arm64" vendor="ARM")", "arm-socket"}})
    EXPECT_EQ(links_between(node(attributes, 2), "cpu0", "cpu1", kind), 1) << attributes;
  const Json four = node(R"(arch="x86_64" vendor="AuthenticAMD")", 4);  // every two, as NCCL has them
  for (int b = 1; b < 4; ++b)
    for (int a = 0; a < b; ++a)
      EXPECT_EQ(links_between(four, "cpu" + std::to_string(a), "cpu" + std::to_string(b), "infinity-fabric"),
                1);
}

TEST(ImportHwloc, TwoPackages) {
  const std::string package = R"(<object type="Package"><object type="NUMANode" local_memory="34359738368"/>
    <object type="Core"/><object type="Core"/></object>)";
  const std::string card =
      R"(<object type="Bridge" bridge_type="0-1"><object type="PCIDev" pci_type="0207 [15b3:1017]"
    pci_link_speed="15.753846"><object type="OSDev" name="mlx5_0" osdev_type="3"/></object></object>)";
  const Description d = imported(
      file("hwloc.xml", "<?xml version=\"1.0\"?><topology version=\"2.0\"><object type=\"Machine\">" +
                            package + package + card + "</object></topology>"));
  EXPECT_EQ(max_ranks(d), 4);
  EXPECT_EQ(d.json()["devices"]["core"]["memory_GiB"]["value"], 32);  // of a package
  EXPECT_TRUE(d.json()["node"]["vertices"].contains("nic0"));
}

TEST(ImportIbnetdiscover, TwoLevels) {
  // Two leaves of two hosts each, one spine that each reaches by two cables.
  std::string text = "vendid=0x2c9\ndevid=0xd2f0\n";
  auto leaf = [](int n) {
    std::string s = "Switch\t36 \"S-00" + std::to_string(n) + "\"\t\t# \"leaf" + std::to_string(n) +
                    "\" enhanced port 0 lid 1 lmc 0\n";
    for (int h = 0; h < 2; ++h)
      s += "[" + std::to_string(h + 1) + "]\t\"H-0" + std::to_string(2 * n + h) + "\"[1](0a)\t\t# \"node" +
           std::to_string(2 * n + h) + " HCA-1\" lid 4 4xEDR\n";
    return s +
           "[35]\t\"S-009\"[1]\t\t# \"spine\" lid 9 4xEDR\n[36]\t\"S-009\"[2]\t\t# \"spine\" lid 9 4xEDR\n\n";
  };
  text += leaf(1) + leaf(2) + "Switch\t36 \"S-009\"\t\t# \"spine\" lid 9\n";
  for (int n : {1, 1, 2, 2}) text += "[1]\t\"S-00" + std::to_string(n) + "\"[35]\t\t# \"leaf\" lid 1 4xEDR\n";
  for (int h = 2; h < 6; ++h)
    text += "\nvendid=0x2c9\nCa\t1 \"H-0" + std::to_string(h) + "\"\t\t# \"node" + std::to_string(h) +
            " HCA-1\"\n[1](0b)\t\"S-001\"[1]\t\t# lid 4 lmc 0 \"leaf\" lid 1 4xEDR\n";
  const Json json = import_platform(file("fabric.txt", text));
  EXPECT_EQ(json["max_nodes"], 4);
  EXPECT_EQ(json["network"]["levels"],
            Json::parse(R"([{"name": "level 1", "down": 2, "switch_ports": 36, "up": 1, "cables": 2},
                            {"name": "level 2", "down": 2, "switch_ports": 36}])"));
  EXPECT_NEAR(json["network"]["bandwidth_GBps"]["value"].get<double>(), 12.5, 1e-9);
  EXPECT_EQ(max_ranks(imported(file("fabric.txt", text))), 4);
  EXPECT_EQ(json["notes"].dump().find("Cables up"), std::string::npos);
  // What the file does not say of the hosts does not limit their ports.
  const Machine machine(imported(file("fabric.txt", text)), 4);
  EXPECT_NEAR(GBps(machine.wire(0, 3, Bytes(0)).per_byte), 12.5, 1e-9);
  // A leaf that lacks a cable is named.
  const std::string cable = "[36]\t\"S-009\"[2]\t\t# \"spine\" lid 9 4xEDR\n";
  std::string lost = text;
  lost.erase(lost.find(cable), cable.size());
  const Json weaker = import_platform(file("lost.txt", lost));
  EXPECT_EQ(weaker["network"]["levels"], json["network"]["levels"]);
  EXPECT_NE(weaker["notes"].dump().find("Cables up: 1 of S-001, 2 of others on the level."),
            std::string::npos)
      << weaker["notes"];
}

/// Hosts at half the speed of the cables above; two ports of one host on a leaf are one node.
TEST(ImportIbnetdiscover, PortsAndTrunksOfTheirOwnSpeeds) {
  const auto leaf = [](const std::string& n) {
    return "Switch\t36 \"S-" + n + "\"\n[1]\t\"H-" + n + "1\"[1]\t\t# \"node" + n +
           " mlx5_0\" lid 1 2xHDR\n[2]\t\"H-" + n + "2\"[1]\t\t# \"node" + n +
           " mlx5_1\" lid 2 2xHDR\n[35]\t\"S-9\"[" + n + "]\t\t# \"spine\" lid 9 4xHDR\n\n";
  };
  std::string text = leaf("1") + leaf("2") + "Switch\t36 \"S-9\"\n";
  for (const std::string n : {"1", "2"})
    text += "[" + n + "]\t\"S-" + n + "\"[35]\t\t# \"leaf\" lid 1 4xHDR\n";
  for (const std::string n : {"1", "2"})
    for (const std::string card : {"1", "2"})
      text += "Ca\t1 \"H-" + n + card + "\"\t\t# \"node" + n + " mlx5\"\n";
  const Json json = import_platform(file("trunks.txt", text));
  EXPECT_EQ(json["network"]["bandwidth_GBps"]["value"], 12.5);
  const Json& level = json["network"]["levels"][0];
  EXPECT_EQ(level["bandwidth_GBps"]["value"], 25);
  EXPECT_EQ(level["down"], 1);
  EXPECT_NE(json["notes"].dump().find("several ports on one leaf"), std::string::npos);
  EXPECT_EQ(max_ranks(imported(file("trunks.txt", text))), 2);
  // A second cable of half the speed, in either order, is told.
  const std::string fast = "[35]\t\"S-9\"[1]\t\t# \"spine\" lid 9 4xHDR\n";
  const std::string slow = "[36]\t\"S-9\"[3]\t\t# \"spine\" lid 9 2xHDR\n";
  for (const std::string& both : {fast + slow, slow + fast}) {
    std::string mixed = text;
    mixed.replace(mixed.find(fast), fast.size(), both);
    const Json with = import_platform(file("mixed.txt", mixed));
    EXPECT_EQ(with["network"]["levels"][0]["bandwidth_GBps"]["value"], 25);
    EXPECT_NE(
        with["notes"].dump().find("Cables above level 1 differ in speed, from 12.5 GB/s; the fastest, 25.0"),
        std::string::npos)
        << with["notes"];
  }
}

/// 4 nodes on the widest leaf, as many cables up; 2 leaves on a pod, which has 8; 3 ways down from the top.
TEST(ImportSlurm, Tree) {
  const std::string path = COLLCAST_SOURCE_DIR "/tests/platforms/exchange/topology.conf";
  const Json json = import_platform(path);
  EXPECT_EQ(json["max_nodes"], 16);
  EXPECT_EQ(json["description"], "16 nodes on 8 switches, from Slurm");
  EXPECT_EQ(json["network"]["levels"],
            Json::parse(R"([{"name": "level 1", "down": 4, "up": 1, "cables": 4, "switch_ports": 8},
                            {"name": "level 2", "down": 2, "up": 1, "cables": 8, "switch_ports": 16},
                            {"name": "level 3", "down": 3, "switch_ports": 24}])"));
  EXPECT_EQ(json["network"]["bandwidth_GBps"]["stamp"], "guess");
  const Json notes(json["notes"].begin() + 2, json["notes"].end());
  EXPECT_EQ(notes, Json::parse(R"(["LinkSpeed is not read: Slurm gives it no unit.",
      "As if switches of the levels between joined them with the one above: leaf5.",
      "Left out, as nothing joins them with the rest: island, with 3 nodes."])"));
  EXPECT_EQ(max_ranks(imported(path)), 16);
}

/// What `scontrol show topology` prints: inner switches name all nodes below. Two spines over each leaf: a
/// way to each, of half of a leaf's cables.
TEST(ImportSlurm, SpinesAsScontrolPrintsThem) {
  std::string text;
  for (const char* leaf : {"0", "1"})
    text += std::string("SwitchName=s") + leaf + " Level=0 LinkSpeed=1 Nodes=n" + leaf + "[0-5]\n";
  for (const char* spine : {"8", "9"})
    text +=
        std::string("SwitchName=s") + spine + " Level=1 LinkSpeed=1 Nodes=n0[0-5],n1[0-5] Switches=s[0-1]\n";
  const Json json = import_platform(file("scontrol.txt", text));
  EXPECT_EQ(json["max_nodes"], 12);
  EXPECT_EQ(json["network"]["levels"],
            Json::parse(R"([{"name": "level 1", "down": 6, "up": 2, "cables": 3, "switch_ports": 12},
                            {"name": "level 2", "down": 2, "switch_ports": 6}])"));
  EXPECT_EQ(json["notes"].size(), 2u);
  EXPECT_EQ(max_ranks(imported(file("scontrol.txt", text))), 12);
  const Json one = import_platform(file("one.txt", "SwitchName=s Nodes=a,b\n"));
  EXPECT_EQ(one["network"]["kind"], "single-switch");
}

TEST(ImportSlurm, Refuses) {
  const auto said = [](const std::string& text) {
    return complaint([&] { import_platform(file("bad.conf", text)); }).substr(scratch("").size());
  };
  const std::string leaf = "SwitchName=s0 Nodes=a,b\n";
  EXPECT_EQ(said(leaf + "SwitchName=s1 Switches=s[0,2]\n"), "bad.conf: line 2: s2 has no line of its own");
  EXPECT_EQ(said(leaf + "SwitchName=s1 Nodes=c,b\n"),
            "bad.conf: line 2: b is on two leaf switches, s0 and s1");
  EXPECT_EQ(said(leaf + "SwitchName=s1 Switches=s0 Nodes=a,c\n"), "bad.conf: line 2: c is on no leaf switch");
  EXPECT_EQ(said("SwitchName=s1 Switches=s2\nSwitchName=s2 Switches=s1\n"),
            "bad.conf: line 1: s1 is below itself");
  EXPECT_EQ(said(leaf + leaf), "bad.conf: line 2: s0 has a line already");
  EXPECT_EQ(said("SwitchName=s0\n"), "bad.conf: line 1: has neither Switches nor Nodes");
  EXPECT_EQ(said("SwitchName=s0 Nodes=ALL\n"),
            "bad.conf: line 1: Nodes=ALL does not say which nodes there are; list them, as in node[0-63]");
  EXPECT_EQ(said(leaf + "Nodes=a\n"), "bad.conf: line 2: lacks SwitchName");
  EXPECT_EQ(said(leaf + "SwitchName=s1 Speed=1\n"),
            "bad.conf: line 2: 'Speed=1' is none of SwitchName=, Switches=, Nodes=, LinkSpeed= and Level=");
  EXPECT_EQ(said("SwitchName=s0 Nodes=n[0-2\n"),
            "bad.conf: line 1: has a list whose brackets do not match, or with more than 8 in one name");
  EXPECT_EQ(said("SwitchName=s0 Nodes=n[3-1]\n"),
            "bad.conf: line 1: '[3-1]' is no range of numbers; write [0-3,12]");
  EXPECT_EQ(said("SwitchName=s0 Nodes=n[0-999999999]\n"),
            "bad.conf: line 1: names more than a million hosts or switches");
  EXPECT_EQ(
      said("SwitchName=s0 Nodes=n[1-5000]\n"  // a switch of one level has no such limit
           "SwitchName=s1 Nodes=m\nSwitchName=s2 Switches=s[0-1]\n"),
      "bad.conf: a switch of level 1 would need 10000 ports: a platform has up to 4096 ways to each side, of "
      "65536 in all");
  EXPECT_EQ(
      said("# blocks\nBlockName=b1 Nodes=n[01-18]\n"),
      "bad.conf: line 2: is of topology/block, which names no switches; import the output of ibnetdiscover");
}

std::string cluster(const std::string& attributes) {
  return R"(<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1">
    <zone id="w" routing="Full"><cluster id="c" prefix="n" suffix="" speed="1Gf" )" +
         attributes + "/></zone></platform>";
}

TEST(ImportSimgrid, FlatCluster) {
  const Machine m(imported(file("flat.xml", cluster(R"(radical="0-15" bw="10Gbps" lat="500ns")"))), 16);
  EXPECT_NEAR(GBps(m.wire(0, 15, Bytes(0)).per_byte), 1.25, 1e-12);
  EXPECT_NEAR(us(m.wire(0, 15, Bytes(0)).latency), 1.0, 1e-12);  // two links of lat
}

TEST(ImportSimgrid, FatTree) {
  const Machine m(
      imported(file(
          "tree.xml",
          cluster(
              R"(radical="0-15" bw="1.25GBps" lat="1us" topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,3")"))),
      16);
  EXPECT_NEAR(us(m.wire(0, 3, Bytes(0)).latency), 2, 1e-12);
  EXPECT_NEAR(us(m.wire(0, 4, Bytes(0)).latency), 4, 1e-12);
  EXPECT_NEAR(m.links().back().bandwidth.value * 1e-9, 3 * 1.25, 1e-12);
}

/// SimGrid 3.32's examples/platforms/cluster_torus.xml: a message takes 50 us for each link.
TEST(ImportSimgrid, Torus) {
  const Machine m(
      imported(file(
          "torus.xml",
          cluster(R"(radical="0-11" bw="125MBps" lat="50us" topology="TORUS" topo_parameters="3,2,2")"))),
      12);
  EXPECT_NEAR(us(m.wire(0, 1, Bytes(0)).latency), 50, 1e-9);
  EXPECT_NEAR(us(m.wire(0, 2, Bytes(0)).latency), 50, 1e-9);    // the other way round the ring of 3
  EXPECT_NEAR(us(m.wire(0, 11, Bytes(0)).latency), 150, 1e-9);  // (2,1,1)
  EXPECT_NEAR(GBps(m.wire(0, 11, Bytes(0)).per_byte), 0.125, 1e-12);
  const Machine limited(
      imported(file(
          "limited.xml",
          cluster(
              R"(radical="0-3" bw="2GBps" lat="1us" topology="TORUS" topo_parameters="4" limiter_link="1GBps")"))),
      4);
  EXPECT_NEAR(GBps(limited.wire(0, 1, Bytes(0)).per_byte), 1, 1e-12);
}

/// Its cluster_dragonfly.xml: 3 groups of 4 chassis of 5 switches of 2 hosts.
TEST(ImportSimgrid, Dragonfly) {
  const Description d = imported(file(
      "dragonfly.xml",
      cluster(
          R"(radical="0-119" bw="125MBps" lat="50us" topology="DRAGONFLY" topo_parameters="3,4;4,3;5,1;2" limiter_link="100MBps" loopback_bw="100MBps")")));
  const Machine m(d, 120);
  // A link to the switch and one from it; one more within the chassis, or to the same place in another; both.
  EXPECT_NEAR(us(m.wire(0, 1, Bytes(0)).latency), 100, 1e-9);
  EXPECT_NEAR(us(m.wire(0, 2, Bytes(0)).latency), 150, 1e-9);
  EXPECT_NEAR(us(m.wire(0, 10, Bytes(0)).latency), 150, 1e-9);
  EXPECT_NEAR(us(m.wire(0, 12, Bytes(0)).latency), 200, 1e-9);
  EXPECT_NEAR(GBps(m.wire(0, 1, Bytes(0)).per_byte), 0.1, 1e-12);
  std::map<double, int>
      links;  // between switches, by GB/s: 4 in a chassis, 3 between chassis; 2 of each group
  for (LinkId l = 0; l < m.links().size(); ++l)
    if (m.link_name(l).starts_with("group")) ++links[m.links()[l].bandwidth.value * 1e-9];
  EXPECT_EQ(links, (std::map<double, int>{{0.125, 60 * 4}, {0.375, 60 * 3}, {0.5, 3 * 2}}));
  EXPECT_EQ(d.json()["notes"][1],
            "The links between groups hang on other switches of a group than in SimGrid.");
  EXPECT_EQ(d.json()["notes"][2], "Not read: speed=1Gf, loopback_bw=100MBps.");
}

TEST(ImportSimgrid, BackboneAndWhatElseIsThere) {
  const Description d = imported(
      file("more.xml",
           R"(<platform version="4.1"><zone id="w" routing="Full"><cluster id="c" radical="0-1" speed="1Gf"
             bw="1GBps" lat="1us" bb_bw="2GBps" bb_lat="5us" sharing_policy="SHARED"/><host id="h" speed="1Gf"/>
             <link id="l" bandwidth="1GBps" latency="1us"/></zone></platform>)"));
  EXPECT_NEAR(us(Machine(d, 2).wire(0, 1, Bytes(0)).latency), 7, 1e-9);
  EXPECT_EQ(d.json()["notes"][1],
            "Not read: speed=1Gf, bb_bw=2GBps, sharing_policy=SHARED, 1 <host>, 1 <link>.");
}

TEST(ExportSimgrid, ComesBackAsItWas) {
  for (const std::string& name : shipped_platforms()) {
    const Description d = load_platform(name);
    const Rank ranks = static_cast<Rank>(std::min<std::int64_t>(max_ranks(d), 8));
    const std::string path = file("exported.xml", simgrid_xml(d, ranks));
    EXPECT_EQ(import_platform(path), d.json()) << name;
  }
}

/// What no reader knows, or NCCL lists otherwise: an x8 switch, an adapter below both processors and slower
/// than the others, GPUs joined to their processor.
TEST(ImportNccl, OddParts) {
  const Description d = imported(file("odd.xml", R"(<system version="1">
    <cpu arch="arm64" vendor="ARM">
      <pci busid="1:0" class="0x030200" device="0x2342" link_speed="16 GT/s" link_width="8">
        <gpu dev="0" sm="90"><nvlink target="fffffff:ff:ff.0" count="18" tclass="0x068000"/><c2c bw="44712" count="5"/></gpu>
      </pci>
      <pci busid="2:0" class="0x020700" link_speed="16 GT/s" link_width="8"><nic><net name="mlx5_0" speed="200000"/></nic></pci>
      <nic><net name="eth0" speed="10000"/></nic>
    </cpu>
    <cpu arch="arm64" vendor="ARM">
      <pci busid="3:0" class="0x030200" device="0x2335" link_speed="16 GT/s" link_width="0">
        <gpu dev="1" sm="90"><nvlink target="fffffff:ff:ff.0" count="18" tclass="0x068000"/><xyz/></gpu>
      </pci>
      <nic><net name="eth0" speed="10000"/></nic>
    </cpu></system>)"));
  EXPECT_NEAR(GBps(Machine(d, 2).wire(0, 1, Bytes(0)).per_byte), 18 * 25, 1e-9);
  const Machine m(d, 4);
  EXPECT_NEAR(GBps(m.wire({0, Memory::device}, {0, Memory::host}, Bytes(0)).per_byte), 5 * 44.712, 1e-9);
  EXPECT_NEAR(GBps(m.wire(0, 2, Bytes(0)).per_byte), 12, 1e-9);  // 8 lanes of 16 GT/s
  EXPECT_TRUE(Machine(d, 2).node_capabilities().reduction);      // Hopper's switches
  const Json& vertices = d.json()["node"]["vertices"];
  EXPECT_EQ(vertices["gpu0"]["device"], "H100-SXM5-80GB");
  EXPECT_EQ(vertices["gpu1"]["device"], "H200-SXM5-141GB");
  EXPECT_FALSE(vertices.contains("nic1"));
  EXPECT_EQ(d.json()["notes"][1], "Interfaces left out that no PCI device holds: 1.");
  EXPECT_EQ(d.json()["notes"][2], "Not read: 1 <xyz>.");
}

/// A bridge for which NCCL writes 10 Gb/s does not stand for the adapter of 1 Gb/s; alone, its speed is a
/// guess.
TEST(ImportNccl, InterfacesWithoutADevice) {
  const auto network = [](const std::string& adapters) {
    return import_platform(file("bridge.xml", R"(<system version="1"><cpu>
      <pci busid="3b:0"><gpu dev="0" sm="86"/></pci>)" +
                                                  adapters + "</cpu></system>"))["network"]["bandwidth_GBps"];
  };
  const std::string bridge = R"(<nic><net name="br-3c2" speed="10000"/></nic>)";
  const Json real = network(R"(<pci busid="18:0"><nic><net name="eno1" speed="1000"/></nic></pci>)" + bridge);
  EXPECT_EQ(real["value"], 0.125);
  EXPECT_EQ(real["stamp"], "datasheet");
  const Json alone = network(bridge);
  EXPECT_EQ(alone["value"], 1.25);
  EXPECT_EQ(alone["stamp"], "guess");
  EXPECT_EQ(network(R"(<nic><net name="eth0" speed="100000"/></nic>)")["stamp"], "datasheet");
}

/// NCCL takes no limit of the way to them, such as two ports that it merged.
TEST(ImportNccl, AnAdapterWithoutADeviceIsAsFastAsItsPort) {
  const Description d = imported(file("merged.xml", R"(<system version="1"><cpu>
      <pci busid="3b:0" link_speed="16.0 GT/s" link_width="16"><gpu dev="0" sm="86"/></pci>
      <nic><net name="mlx5_0+mlx5_1" speed="200000"/></nic></cpu></system>)"));
  EXPECT_NEAR(GBps(Machine(d, 2).wire(0, 1, Bytes(0)).per_byte), 24, 1e-9);  // of the GPU's slot
  EXPECT_EQ(d.json()["node"]["link_kinds"]["unlisted-bus"]["bandwidth_GBps"]["value"], 25);
}

/// 2.5 and 5 GT/s are spent on their code to a fifth. A ring's last GPU goes to the card by the GPU beside it
/// (PXN), from NCCL 2.12 on, rather than through two such slots.
TEST(ImportNccl, SlowSlotsOfVirtualMachines) {
  std::string slots;
  for (const std::string n : {"1", "2"})
    slots += "<pci busid=\"" + n + R"(:0" class="0x060400" link_speed="2.5 GT/s PCIe" link_width="1">
        <pci busid=")" +
             n + R"(:1" link_speed="32 GT/s" link_width="16"><gpu sm="90">
          <nvlink target="c:0" count="18" tclass="0x068000"/></gpu></pci>
        <pci busid=")" +
             n + R"(:2" class="0x020700" link_speed="32 GT/s" link_width="16"><nic>
          <net name="mlx5_)" +
             n + R"(" speed="200000"/></nic></pci></pci>)";
  const Description d = imported(file("vm.xml", "<system><cpu arch=\"x86_64\">" + slots + "</cpu></system>"));
  EXPECT_NEAR(d.json()["node"]["link_kinds"]["pcie-25-x1"]["bandwidth_GBps"]["value"].get<double>(), 0.1875,
              1e-9);
  ChannelSpeeds speeds = nccl_speeds(18, Gpu::hopper);
  const auto rings = [&] {
    return find_channels(read_blueprint(d), ChannelShape::ring, ChannelReach::network, speeds);
  };
  EXPECT_EQ(rings().channels.size(), 2u);
  EXPECT_NEAR(GBps(1.0 / rings().bandwidth), 24, 1e-9);
  speeds.pxn = false;
  EXPECT_LT(GBps(1.0 / rings().bandwidth), 0.2);
}

TEST(ImportHwloc, Accelerators) {
  const std::string
      gpu = R"(<object type="PCIDev" pci_type="0302 [10de:2330] [10de:16c1] a1" pci_link_speed="63.0"/>)",
      other = R"(<object type="PCIDev" pci_type="0380 [1002:740c] [1002:0b0c] 00"/>)";
  const Description d =
      imported(file("gpus.xml",
                    "<topology version=\"2.0\"><object type=\"Machine\"><object type=\"Package\">"
                    "<object type=\"Core\"/>" +
                        gpu + other + "</object></object></topology>"));
  EXPECT_EQ(d.json()["node"]["vertices"]["gpu0"]["device"], "H100-SXM5-80GB");
  EXPECT_EQ(d.json()["node"]["vertices"]["gpu1"]["device"], "MI250X-GCD");
  EXPECT_EQ(max_ranks(d), 2);
  EXPECT_EQ(links_between(d.json(), "gpu0", "cpu0", "pcie5-x16"), 1);
}

std::string hwloc(const std::string& in_package, const std::string& after = "",
                  const std::string& version = "2.0") {
  return "<topology version=\"" + version +
         "\"><object type=\"Machine\"><object type=\"Package\" gp_index=\"3\"><object type=\"Core\"/>" +
         in_package + "</object></object>" + after + "</topology>";
}

std::string hwloc_gpu(int number, const std::string& pci_type, const std::string& model,
                      const std::string& speed) {
  const std::string n = std::to_string(number);
  return "<object type=\"PCIDev\" gp_index=\"1" + n + "\" pci_type=\"" + pci_type + "\" pci_link_speed=\"" +
         speed + "\"><object type=\"OSDev\" gp_index=\"" + n + "\" name=\"nvml" + n +
         "\" osdev_type=\"1\"><info name=\"GPUModel\" value=\"" + model + "\"/></object></object>";
}

/// Where cores are not known, lstopo hangs the hardware's threads on a cache.
TEST(ImportHwloc, WithoutCores) {
  const std::string package =
      R"(<object type="Package"><object type="L3Cache"><object type="PU"/><object type="PU"/></object></object>)";
  const Json json =
      import_platform(file("threads.xml", "<topology version=\"2.0\"><object type=\"Machine\">" + package +
                                              package + "</object></topology>"));
  EXPECT_EQ(json["node"]["ranks_per_node"], 4);
  EXPECT_NE(json["notes"].dump().find("The file has no cores: its 4 PUs stand for them."), std::string::npos)
      << json["notes"];
}

/// Two links of 20 GB/s between two P100, one to the processor; one end is no part of the node.
TEST(ImportHwloc, Nvlinks) {
  const std::string p100 = "0302 [10de:0000] [10de:116b] a1";
  const std::string matrix = R"(<distances2hetero nbobjs="4" kind="25" name="NVLinkBandwidth">
    <indexes length="20">OSDev:1 OSDev:2 </indexes><indexes length="20">Package:3 PCIDev:9 </indexes>
    <u64values length="9">1000000 40000 20000 0 40000 1000000 0 </u64values>
    <u64values length="9">20000 20000 0 1000000 0 0 20000 0 0</u64values></distances2hetero>)";
  const std::string gpus = hwloc_gpu(1, p100, "Tesla P100-SXM2-16GB", "15.753846") +
                           hwloc_gpu(2, p100, "Tesla P100-SXM2-16GB", "15.753846");
  const Description d = imported(file("nvlinks.xml", hwloc(gpus, matrix)));
  EXPECT_EQ(d.json()["node"]["vertices"]["gpu0"]["device"], "P100-SXM2");
  EXPECT_EQ(links_between(d.json(), "gpu0", "gpu1", "nvlink1"), 2);
  EXPECT_EQ(links_between(d.json(), "gpu0", "cpu0", "nvlink1"), 1);
  EXPECT_EQ(links_between(d.json(), "gpu0", "cpu0", "pcie3-x16"), 0);
  EXPECT_EQ(links_between(d.json(), "gpu1", "cpu0", "pcie3-x16"), 1);
  EXPECT_NEAR(GBps(Machine(d, 2).wire(0, 1, Bytes(0)).per_byte), 40, 1e-9);
  EXPECT_EQ(d.json()["notes"], (Json{"Imported from " + scratch("nvlinks.xml") + ". One node.",
                                     "Not read: links to PCIDev:9."}));
  const std::string of_one_type = R"(<distances2 type="OSDev" nbobjs="2" name="NVLinkBandwidth" indexing="gp">
    <indexes>1 2</indexes><u64values>0 30000 30000 0</u64values></distances2>)";
  EXPECT_NEAR(
      GBps(Machine(imported(file("nvlinks.xml", hwloc(gpus, of_one_type))), 2).wire(0, 1, Bytes(0)).per_byte),
      30, 1e-9);
  EXPECT_NE(import_platform(file("nvlinks.xml", hwloc(gpus)))["notes"].dump().find("No NVLinks"),
            std::string::npos);
  EXPECT_NE(
      complaint([&] {
        import_platform(file("nvlinks.xml", hwloc(gpus, R"(<distances2 name="NVLinkBandwidth" type="OSDev">
                <indexes>1 2</indexes><u64values>0 1 1</u64values></distances2>)")));
      }).find("<distances2> NVLinkBandwidth: must hold a value for each two of its 2 objects, 4, not 3"),
      std::string::npos);
}

/// hwloc 3: GPUs below one port of the package share it, and NVSwitches are one vertex.
TEST(ImportHwloc, SwitchesOfPcieAndNvlink) {
  const std::string v100 = "0302 [10de:1db8] [10de:131d] a1";
  const auto below = [](const std::string& inner, const std::string& speed, const std::string& kind = "1-1") {
    return "<object type=\"Bridge\" bridge_type=\"" + kind + "\" pci_link_speed=\"" + speed + "\">" + inner +
           "</object>";
  };
  std::string gpus;
  for (int g = 1; g < 3; ++g) gpus += below(hwloc_gpu(g, v100, "", "15.753846"), "15.753846");
  const std::string nic = R"(<object type="PCIDev" pci_type="0207 [15b3:1017]" pci_link_speed="7.876923">
    <object type="OSDev" name="mlx5_0" osdev_type="32"/></object>)";
  const std::string nvswitch =
      R"(<object type="PCIDev" subtype="NVSwitch" gp_index="7" pci_type="0680 [10de:1ac2]"/>)";
  const std::string matrix = R"(<distances2hetero nbobjs="3" name="NVLinkBandwidth">
    <indexes>OSDev:1 OSDev:2 PCIDev:7</indexes><u64values>0 0 150000 0 0 150000 150000 150000 0</u64values></distances2hetero>)";
  const Description d = imported(file(
      "dgx.xml", hwloc(below(below(below(gpus, "15.753846"), "15.753846") + below(nic + nvswitch, "7.876923"),
                             "0", "0-1"),
                       matrix, "3.0")));
  EXPECT_EQ(links_between(d.json(), "gpu0", "plx0", "pcie3-x16"), 1);
  EXPECT_EQ(links_between(d.json(), "gpu1", "plx0", "pcie3-x16"), 1);
  EXPECT_EQ(links_between(d.json(), "plx0", "cpu0", "pcie3-x16"), 1);
  EXPECT_EQ(links_between(d.json(), "nic0", "cpu0", "pcie-79"), 1);  // 8 lanes
  EXPECT_NEAR(d.json()["node"]["link_kinds"]["pcie-79"]["bandwidth_GBps"]["value"].get<double>(), 6, 1e-5);
  EXPECT_EQ(links_between(d.json(), "gpu1", "nvswitch", "nvlink2"), 6);
  EXPECT_EQ(d.json()["node"]["vertices"]["gpu0"]["device"], "V100-SXM2-32GB");
}

/// Each in a file of its own, so that a part that does not exist is refused.
TEST(ImportHwloc, ModelsByName) {
  for (const auto& [model, device] : {std::pair{"NVIDIA GB10", "GB10"},
                                      {"NVIDIA GeForce RTX 5090", "RTX-5090"},
                                      {"NVIDIA B200", "B200-180GB"},
                                      {"NVIDIA H200", "H200-SXM5-141GB"},
                                      {"NVIDIA H100 80GB HBM3", "H100-SXM5-80GB"},
                                      {"NVIDIA L40S", "L40S"},
                                      {"NVIDIA GeForce RTX 3090", "RTX-3090"},
                                      {"A100-SXM-80GB", "A100-SXM4-80GB"},
                                      {"NVIDIA A100-SXM4-40GB", "A100-SXM4-40GB"},
                                      {"Tesla T4", "T4"},
                                      {"Tesla V100-SXM2-16GB", "V100-SXM2-16GB"},
                                      {"Tesla V100-SXM3-32GB-H", "V100-SXM2-32GB"},
                                      {"Tesla V100-PCIE-16GB", "V100-PCIe-16GB"},
                                      {"Tesla P100-SXM2-16GB", "P100-SXM2"},
                                      {"Tesla K80", "K80-half"},
                                      {"AMD Instinct MI350X", "MI350X"},
                                      {"AMD Instinct MI325X", "MI325X"},
                                      {"AMD Instinct MI300A", "MI300A"},
                                      {"AMD Instinct MI300X", "MI300X"},
                                      {"Aldebaran/MI200 [Instinct MI250X/MI250]", "MI250X-GCD"},
                                      {"Arcturus GL-XL [Instinct MI100]", "MI100"},
                                      {"Instinct MI60", "MI60"},
                                      {"Instinct MI50", "MI50"},
                                      {"Instinct MI25", "MI25"}}) {
    const std::string pair = hwloc_gpu(1, "0302 [10de:0000]", model, "31.507692") +
                             hwloc_gpu(2, "0302 [10de:0000]", model, "31.507692");
    const std::string link = R"(<distances2 type="OSDev" name="NVLinkBandwidth"><indexes>1 2</indexes>
      <u64values>0 100000 100000 0</u64values></distances2>)";
    const Description d = imported(file("model.xml", hwloc(pair, link)));
    EXPECT_EQ(d.json()["node"]["vertices"]["gpu1"]["device"], device) << model;
    EXPECT_EQ(Machine(d, 2).ranks_per_node(), 2) << model;
  }
}

TEST(ImportHwloc, ModelsThatAreNotKnown) {
  const Json json = import_platform(
      file("models.xml", hwloc(hwloc_gpu(1, "0302 [10de:ffff] [10de:0000] a1", "Tesla X9", "31.507692"))));
  EXPECT_EQ(json["notes"][1], "1 GPU of a model that is not known (Tesla X9) taken for V100.");
  EXPECT_EQ(links_between(json, "gpu0", "cpu0", "pcie4-x16"), 1);
}

/// Of the vendors' shared kinds, and between every two packages.
TEST(ImportHwloc, SocketsOfAmd) {
  const std::string package = R"(<object type="Package"><info name="CPUVendor" value="AuthenticAMD"/>
    <object type="Core"/></object>)";
  const Json json =
      import_platform(file("amd.xml", "<topology version=\"2.0\"><object type=\"Machine\">" + package +
                                          package + package + "</object></topology>"));
  EXPECT_EQ(links_between(json, "cpu0", "cpu2", "infinity-fabric"), 1);
}

std::string ib_switch(const std::string& guid, const std::vector<std::string>& peers) {
  std::string text = "Switch\t40 \"S-" + guid + "\"\t# \"sw\"\n";
  int port = 0;
  for (const std::string& peer : peers)
    text += "[" + std::to_string(++port) + "]\t\"" + peer + "\"[1]\t# \"node" + peer + " mlx5_0\" lid 1 " +
            (peer == "H-9" ? "4xEDR" : "4xHDR") + "\n";
  return text;
}

/// A fabric manager on a spine.
TEST(ImportIbnetdiscover, ServiceHostsAreLeftOut) {
  std::string hosts;
  for (const char* h : {"1", "2", "3", "4", "9"})
    hosts += "Ca\t1 \"H-" + std::string(h) + "\"\t# \"nodeH-" + h + " mlx5_0\"\n";
  const Json json = import_platform(file("service.txt", ib_switch("1", {"H-1", "H-2", "S-5", "S-6"}) +
                                                            ib_switch("2", {"H-3", "H-4", "S-5", "S-6"}) +
                                                            ib_switch("5", {"S-1", "S-2", "H-9"}) +
                                                            ib_switch("6", {"S-1", "S-2"}) + hosts));
  EXPECT_EQ(json["max_nodes"], 4);
  EXPECT_EQ(json["network"]["levels"].size(), 2u);
  EXPECT_EQ(json["network"]["levels"][1]["down"], 2);
  EXPECT_EQ(json["network"]["bandwidth_GBps"]["value"], 25);
  EXPECT_EQ(json["notes"].size(), 2u);
  EXPECT_EQ(json["notes"][1], "Left out, on switches that join leaves with more hosts: nodeH-9.");
  const std::string chain =
      file("chain.txt", ib_switch("1", {"H-1", "S-2"}) + ib_switch("2", {"H-3", "S-1"}) + hosts);
  EXPECT_EQ(
      complaint([&] { import_platform(chain); }),
      chain +
          ": S-1 and S-2 both have hosts (nodeH-1, nodeH-3) and a cable between them: this is not a fat "
          "tree");
}

/// SHARP's aggregation nodes are no hosts, and adapters without a name of their own are.
TEST(ImportIbnetdiscover, AggregationNodesAndNamelessHosts) {
  std::string text;
  for (const char* s : {"S-01", "S-02"})
    text +=
        "Switch\t41 \"" + std::string(s) + "\"\t# \"leaf\" enhanced port 0 lid 1 lmc 0\n[1]\t\"H-1" + s +
        "\"[1](a)\t# \"MT4123 ConnectX6 Mellanox Technologies\" lid 2 4xHDR\n[40]\t\"S-03\"[1]\t# \"spine\" "
        "lid 3 4xHDR\n[41]\t\"H-9" +
        s + "\"[1](b)\t# \"Mellanox Technologies Aggregation Node\" lid 4 4xHDR\n";
  text +=
      "Switch\t41 \"S-03\"\t# \"spine\" lid 3\n[1]\t\"S-01\"[40]\t# \"leaf\" lid 1 "
      "4xHDR\n[2]\t\"S-02\"[40]\t# "
      "\"leaf\" lid 1 4xHDR\n[41]\t\"H-9S-03\"[1](b)\t# \"Mellanox Technologies Aggregation Node\" lid 4 "
      "4xHDR\n";
  for (const char* h : {"H-1S-01", "H-1S-02"})
    text += "Ca\t1 \"" + std::string(h) + "\"\t# \"MT4123 ConnectX6 Mellanox Technologies\"\n";
  for (const char* h : {"H-9S-01", "H-9S-02", "H-9S-03"})
    text += "Ca\t1 \"" + std::string(h) + "\"\t# \"Mellanox Technologies Aggregation Node\"\n";
  const Json json = import_platform(file("sharp.txt", text));
  EXPECT_EQ(json["max_nodes"], 2);
  EXPECT_EQ(json["network"]["levels"],
            Json::parse(R"([{"name": "level 1", "down": 1, "switch_ports": 41, "up": 1},
                            {"name": "level 2", "down": 2, "switch_ports": 41}])"));
  EXPECT_EQ(
      json["notes"][1],
      "3 switches can reduce (SHARP); what that costs is not in the file: see network.in_network_reduction.");
}

/// Whatever befalls a file: a platform, or one clear line.
TEST(Import, SurvivesDamage) {
  std::mt19937 random(1);
  const std::string alphabet = "<>/=\"'&;,[](): 0123456789.-xSHCa\n\x80\xff";
  const std::string gpus =
      hwloc(hwloc_gpu(1, "0302 [10de:1db1]", "", "15.7") + hwloc_gpu(2, "0302 [10de:1db1]", "", "15.7"),
            R"(<distances2 type="OSDev" name="NVLinkBandwidth"><indexes>1 2</indexes>
      <u64values>0 50000 50000 0</u64values></distances2>)");
  const std::string fabric =
      "Switch\t36 \"S-1\"\t# \"leaf\" lid 1\n[1]\t\"H-2\"[1](a)\t# \"n HCA-1\" lid 4 "
      "4xEDR\n[2]\t\"S-3\"[1]\t# \"up\" lid "
      "2 4xEDR\nSwitch\t36 \"S-3\"\t# \"up\"\n[1]\t\"S-1\"[2]\t# \"leaf\" lid 1 4xEDR\nCa\t1 \"H-2\"\t# \"n "
      "HCA-1\"\n";
  int sound = 0;
  for (const std::string& good :
       {nccl, gpus, fabric,
        std::string("SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=a,b\nSwitchName=s2 Switches=s[0-1]\n"),
        cluster(R"(radical="0-11" bw="1GBps" lat="1us" topology="TORUS" topo_parameters="3,2,2")"),
        cluster(
            R"(radical="0-119" bw="1GBps" lat="1us" topology="DRAGONFLY" topo_parameters="3,4;4,3;5,1;2")"),
        cluster(R"(radical="0-15" bw="1GBps" lat="1us" topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,3")"),
        simgrid_xml(load_platform("flat"), 2)})
    for (int round = 0; round < testing::all_or_one_in(3, 500); ++round) {
      const std::string path = file("damaged", mutated(good, alphabet, random));
      const std::string said = complaint([&] {
        Machine(imported(path), 1);
        ++sound;
      });
      EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    }
  EXPECT_GT(sound, testing::all_or_one_in(3, 300));
}

TEST(Import, RefusesWhatItCannotRead) {
  auto said = [](const std::string& text) {
    return complaint([&] { import_platform(file("bad.xml", text)); }).substr(scratch("").size());
  };
  EXPECT_EQ(said(""), "bad.xml: is empty");
  EXPECT_EQ(said("<system>\xff</system>"), "bad.xml: is not text in UTF-8");
  EXPECT_TRUE(said("<system>").starts_with("bad.xml: Start-end tags mismatch at byte")) << said("<system>");
  EXPECT_EQ(said("<html/>"),
            "bad.xml: <html> is not one of <system> (NCCL), <topology> (hwloc) and <platform> (SimGrid)");
  EXPECT_TRUE(
      said("<system/>").starts_with("bad.xml: holds no <gpu> below <system><cpu>: NCCL itself completes"));
  EXPECT_EQ(said(R"(<system><cpu><pci busid="0:1"><gpu/></pci></cpu></system>)"),
            "bad.xml: <gpu> of <pci> 0:1: lacks sm, its compute capability, such as 90: NCCL itself "
            "completes such a file; import what it "
            "writes to NCCL_TOPO_DUMP_FILE");
  EXPECT_EQ(said(R"(<system><cpu><nic><net name="cxi0" speed="200000000"/></nic></cpu></system>)"),
            "bad.xml: <net> cxi0: speed 200000000 is no port's: it is in Mb/s");
  EXPECT_EQ(said(R"(<system><cpu><pci busid="0:1" link_width="nan"><gpu sm="90"/></pci></cpu></system>)"),
            "bad.xml: <pci> 0:1: link_width 'nan' is not a whole number from 0 to 255");
  EXPECT_EQ(said(R"(<system><cpu><nic><net name="cxi0" speed="nan"/></nic></cpu></system>)"),
            "bad.xml: <net> cxi0: speed nan is no port's: it is in Mb/s");
  const std::string gpu = R"(<pci busid="0:1"><gpu sm="90"/></pci>)", host = gpu + "</cpu>";
  EXPECT_EQ(said("<system><cpu>" + gpu + host + "</system>"),
            "bad.xml: <pci> 0:1: stands twice; each GPU has a busid of its own");
  EXPECT_TRUE(said("<system><cpu host_hash=\"1\">" + host + "<cpu host_hash=\"2\">" + host + "</system>")
                  .starts_with("bad.xml: holds 2 hosts (host_hash) of one NVLink domain"));
  const auto with_links = [&](const std::string& links) {
    return said(R"(<system><cpu><pci busid="0:1"><gpu sm="90">)" + links + "</gpu></pci></cpu></system>");
  };
  EXPECT_EQ(with_links(R"(<nvlink target="f" count="2147483647" tclass="0x068000"/>)"),
            "bad.xml: <nvlink> of <pci> 0:1: count '2147483647' is not a whole number from 1 to 1000");
  EXPECT_EQ(with_links(R"(<nvlink target="f" count="-2" tclass="0x068000"/>)"),
            "bad.xml: <nvlink> of <pci> 0:1: count '-2' is not a whole number from 1 to 1000");
  const std::string six_hundred = R"(<nvlink target="f" count="600" tclass="0x068000"/>)";
  EXPECT_EQ(with_links(six_hundred + six_hundred),
            "bad.xml: <nvlink> from gpu0 to nvswitch: count 1200 is no GPU's: 1000 links at most are "
            "accepted");
  EXPECT_EQ(said(R"(<system><cpu><pci busid="0:1" class="0x030200"/></cpu></system>)"),
            "bad.xml: <pci> 0:1: holds no <gpu> or <nic>: NCCL itself completes such a file; import what it "
            "writes to "
            "NCCL_TOPO_DUMP_FILE");
  EXPECT_EQ(said(cluster(R"(radical="0-15" bw="1GBps" lat="1us" topology="TORUS" topo_parameters="3;2")")),
            "bad.xml: <cluster> topo_parameters: must be the sizes of the dimensions, as in 4,4,2");
  EXPECT_EQ(
      said(cluster(R"(radical="0-15" bw="1GBps" lat="1us" topology="DRAGONFLY" topo_parameters="3,2;1")")),
      "bad.xml: <cluster> topo_parameters: must be groups,links;chassis,links;blades,links;nodes, as in "
      "3,4;4,3;5,1;2");
  EXPECT_EQ(
      said("<platform><zone><host/><host/><link/></zone></platform>"),
      "bad.xml: must hold one <cluster>, the kind of zone that is read, not 0; it holds 2 <host>, 1 <link>");
  EXPECT_EQ(said("<topology version=\"1.0\"/>"),
            "bad.xml: is not of hwloc 2 or 3: make it with `lstopo --of xml` of such a version");
  EXPECT_EQ(said("hello"),
            "bad.xml: has no Switch and Ca stanzas: neither XML, nor the output of ibnetdiscover, nor "
            "Slurm's topology.conf");
  EXPECT_EQ(said("Switch 36 \"S-1\" # \"" + std::string(1000000, 'n') + "\"\n"),
            "bad.xml: line 1: has more than 4096 characters");
  EXPECT_EQ(said(cluster(R"(radical="0-15" bw="10 parsec" lat="1us")")),
            "bad.xml: <cluster> bw: '10 parsec' is not such a quantity; write 12.5GBps or 1us");
  EXPECT_EQ(said(cluster(R"(radical="9-0" bw="1GBps" lat="1us")")),
            "bad.xml: <cluster> radical: '9-0' is not a range of hosts; write 0-15");
  EXPECT_EQ(complaint([] { import_platform("no/such.xml"); }),
            "no/such.xml: cannot be read: No such file or directory");
}

TEST(ExportSimgrid, HoldsHostsLinksAndRoutes) {
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(simgrid_xml(load_platform("dgx-1v"), 16).c_str()));
  EXPECT_EQ(document.select_nodes("//host").size(), 16u);
  EXPECT_EQ(document.select_nodes("//route").size(), 16u * 15);
  // From GPU 0 to GPU 3: one pair of NVLinks, and the latency.
  const pugi::xml_node route = document.select_node("//route[@src='rank-0'][@dst='rank-3']").node();
  EXPECT_STREQ(route.child("link_ctn").attribute("id").value(), "node 0 gpu0 to gpu3");
  const pugi::xml_node link = document.select_node("//link[@id='node 0 gpu0 to gpu3']").node();
  EXPECT_STREQ(link.attribute("bandwidth").value(), "5e+10Bps");
  EXPECT_TRUE(complaint([] {
                simgrid_xml(load_platform("summit"), 600);
              }).starts_with("SimGrid's XML has a route per pair of ranks"));
}

TEST(ExportSimgrid, HoldsTheLinksOfATorus) {
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(simgrid_xml(torus(9, "3,3"), 9).c_str()));
  const pugi::xml_node link = document.select_node("//link[@id='switch (0,0) to (1,0)']").node();
  EXPECT_STREQ(link.attribute("bandwidth").value(), "9e+09Bps");
  EXPECT_EQ(
      document.select_nodes("//route[@src='rank-0'][@dst='rank-4']/link_ctn[starts-with(@id, 'switch')]")
          .size(),
      2u);
}

}  // namespace
}  // namespace collcast
