// SPDX-License-Identifier: Apache-2.0
#include "platforms/description/parts.hpp"

#include "support.hpp"
#include "support/json.hpp"
#include "support/suggest.hpp"

namespace collcast {
namespace {

using namespace testing;

TEST(Parts, HaveTheFormOfAPlatformsOwn) {
  const Schema& form = platform_schema();
  check(shared_parts()["devices"], *find(form, "devices"), "parts", "devices");
  check(shared_parts()["link_kinds"], *find(*find(form, "node"), "link_kinds"), "parts", "link_kinds");
  EXPECT_EQ(shared_parts().size(), 2u);
}

TEST(Parts, ThatNoNodeNamesAreLeftOut) {
  const Json devices = load_platform("edr-cluster").json()["devices"];
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices["V100-PCIe-16GB"], shared_parts()["devices"]["V100-PCIe-16GB"]);
}

TEST(Parts, AreOverlaidByThePlatform) {
  const Json value = {{"value", 20.0}, {"source", "a test"}, {"stamp", "measured"}};
  const Json kind = edited("edr-cluster", "/node/link_kinds/pcie3-x16/latency_us", value)
                        .json()["node"]["link_kinds"]["pcie3-x16"];
  EXPECT_EQ(kind["latency_us"], value);
  EXPECT_EQ(kind["bandwidth_GBps"], shared_parts()["link_kinds"]["pcie3-x16"]["bandwidth_GBps"]);
}

TEST(Parts, ChangeWithTheDeviceThatIsSet) {
  Description d = load_platform("edr-cluster");
  set(d, "node.vertices.gpu0.device=A100-SXM4-80GB");
  EXPECT_NEAR(GBps(Machine(d, 1).gamma(0)), 2039.0 / 3, 1e-9);
}

TEST(Parts, UnknownOnesSuggestTheNearest) {
  EXPECT_EQ(
      complaint([] { edited("edr-cluster", "/node/vertices/gpu0/device", "V100-SXM2-32"); }),
      "x.json: node.vertices.gpu0.device: there is no device 'V100-SXM2-32'; did you mean 'V100-SXM2-32GB'?");
  EXPECT_EQ(complaint([] { edited("edr-cluster", "/node/links/0/kind", "nvlink"); }),
            "x.json: node.links.0.kind: there is no link kind 'nvlink'; did you mean 'nvlink1', 'nvlink2', "
            "... or 'nvlink5'?");
  EXPECT_TRUE(complaint([] {
                edited("edr-cluster", "/node/link_kinds", 3);
              }).starts_with("x.json: node.link_kinds: must be an object"));
  EXPECT_TRUE(complaint([] { load_platform("parts"); }).starts_with("there is no platform 'parts'"));
}

TEST(Parts, OfAClusterAreABase) {
  const Description d = parse_platform(
      R"({"base": "gpu-cluster", "description": "one", "max_nodes": 1, "network": {"kind": "none"}, "node": {
          "vertices": {"gpu0": {"kind": "gpu", "device": "MI60"}}, "ranks_on": ["gpu0"], "ranks_per_node": 1}})",
      "one", "one.json");
  EXPECT_EQ(d.json()["devices"]["MI60"]["memory_GiB"]["value"], 32);
  EXPECT_EQ(d.json()["protocol"]["hold"], "injection");
}

}  // namespace
}  // namespace collcast
