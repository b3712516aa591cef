// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"
#include "support/json.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using namespace testing;

TEST(Set, OverridesAParameter) {
  Description d = load_platform("flat");
  set(d, "network.bandwidth_GBps=25");
  EXPECT_NEAR(GBps(Machine(d, 4).wire(0, 1, Bytes(0)).per_byte), 25, 1e-9);
  const std::vector<Parameter> all = d.parameters();
  const auto p = std::ranges::find(all, "network.bandwidth_GBps", &Parameter::path);
  EXPECT_EQ(p->stamp, Stamp::what_if);
  EXPECT_EQ(p->source, "--set");
}

/// Summit's GPUs reach the port's bandwidth in software; with twice the port, by --set or by a file, twice as
/// much; not if the port was measured.
TEST(Set, SoftwareFollowsThePortThatBindsIt) {
  const auto pace = [](const Description& d) {
    return GBps(Machine(d, 12).wire({0, Memory::device}, {6, Memory::device}, Bytes(1 << 26)).per_byte);
  };
  Description twice = load_platform("summit");
  const double before = pace(twice);
  const double port = twice.json()["network"]["bandwidth_GBps"]["value"];
  set(twice, "network.bandwidth_GBps=" + std::to_string(2 * port));
  EXPECT_GT(pace(twice), 1.2 * before);  // from where PCIe binds
  const auto by_file = [&](const std::string& stamp) {
    return pace(
        parse_platform(R"({"base": "summit", "description": "x", "network": {"bandwidth_GBps": {"value": )" +
                           std::to_string(2 * port) + R"(, "source": "x", "stamp": ")" + stamp + R"("}}})",
                       "x", "x.json"));
  };
  EXPECT_NEAR(by_file("datasheet"), pace(twice), 1e-9);
  EXPECT_NEAR(by_file("measured"), before, 1e-9);
}

TEST(Set, OverridesSettings) {
  Description d = load_platform("edr-cluster");
  set_all(d,
          {"network.levels.0.down=24", "network.levels.0.up=12", "max_nodes=864", "protocol.hold=delivery"});
  EXPECT_EQ(max_ranks(d), 864);
  EXPECT_EQ(Machine(d, 2).protocol().hold, MessageProtocol::Hold::delivery);
  set(d, "node.ranks_on=cpu0");
  EXPECT_EQ(Machine(d, 2).wire({0, Memory::device}, {0, Memory::host}, Bytes(0)).per_byte, SecondsPerByte());
}

TEST(Set, OverridesTheLibrary) {
  Description d = load_platform("dgx-h100");
  EXPECT_EQ(d.library(), "nccl-2.17");
  set(d, "library=nccl-2.28");
  EXPECT_EQ(d.library(), "nccl-2.28");
  EXPECT_EQ(d.json()["library"]["stamp"], "what-if");
  EXPECT_EQ(load_platform("frontera").library(), "");
}

TEST(Set, AddsWhatTheFileLeavesOut) {
  Description d = load_platform("localhost");
  set(d, "software.in_node.host.gap_us=2");
  EXPECT_NEAR(us(Machine(d, 2).wire(0, 1, Bytes(0)).gap), 2, 1e-9);
}

TEST(Set, RefusesAndLeavesAllAsItWas) {
  Description d = load_platform("summit");
  const Json before = d.json();
  auto said = [&](const std::string& a) { return complaint([&] { set(d, a); }); };
  EXPECT_EQ(
      said("network.bandwith_GBps=25"),
      "--set: network.bandwith_GBps: summit has no such parameter; did you mean network.bandwidth_GBps?");
  EXPECT_EQ(said("network.bandwidth=25"),
            "--set: network.bandwidth: summit has no such parameter; did you mean network.bandwidth_GBps?");
  EXPECT_EQ(
      said("switch_latency_us=1"),
      "--set: switch_latency_us: summit has no such parameter; did you mean network.switch_latency_us?");
  EXPECT_EQ(said("network.bandwidth_GBps"),
            "--set: network.bandwidth_GBps: needs a value: network.bandwidth_GBps=...");
  EXPECT_EQ(said("network.bandwidth_GBps=fast"), "--set: network.bandwidth_GBps: 'fast' is not a number");
  EXPECT_EQ(said("network.bandwidth_GBps=-1"),
            "--set: network.bandwidth_GBps: must be a number above 0, not -1.0");
  EXPECT_EQ(said("network.bandwidth_GBps=nan"), "--set: network.bandwidth_GBps: 'nan' is not a number");
  EXPECT_EQ(said("max_nodes=1.5"), "--set: max_nodes: '1.5' is not an integer");
  EXPECT_EQ(said("protocol.hold=never"),
            "--set: protocol.hold: must be one of injection, delivery, not \"never\"");
  EXPECT_EQ(said("network.levels.0.down=30"),
            "summit: network.levels.0: 30 ports down and 18 up do not fit a switch of 36 (switch_ports)");
  EXPECT_EQ(complaint([&] {
              set_all(d, {"network.bandwidth_GBps=5", "network.bandwidth_GBps=6"});
            }),
            "--set: network.bandwidth_GBps is set twice");
  EXPECT_EQ(d.json(), before);
}

TEST(Set, TakesEveryPath) {
  testing::EachOrOneIn tried(20, 4);
  for (const std::string& name : shipped_platforms()) {
    const Description original = load_platform(name);
    for (const std::string& path : settable_paths(original)) {
      if (!tried()) continue;
      Description d = original;
      const Json::json_pointer at("/" + [&] {
        std::string p = path;
        std::ranges::replace(p, '.', '/');
        return p;
      }());
      const bool there = d.json().contains(at);
      if (!there) continue;
      const Json now = d.json()[at];
      std::string value = now.is_string() ? now.get<std::string>() : dump(now);
      const bool number = now.is_object() && now["value"].is_number();
      const double share = path.ends_with("from_KiB") ? 0.75 : 0.5;  // above the piece before
      if (number) value = std::to_string(now["value"].get<double>() * share);
      if (now.is_object() && !number) value = now["value"];
      if (now.is_array()) {
        value.clear();
        for (const Json& item : now)
          value += (value.empty() ? "" : ",") + (item.is_string() ? item.get<std::string>() : dump(item));
      }
      EXPECT_EQ(complaint([&] { set(d, path + "=" + value); }), "") << name << " " << path << "=" << value;
      if (number) {
        EXPECT_NEAR(d.json()[at]["value"].get<double>(), original.json()[at]["value"].get<double>() * share,
                    1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace collcast
