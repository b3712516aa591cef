// SPDX-License-Identifier: Apache-2.0
#include "platforms/machine/listing.hpp"

#include <fstream>
#include <sstream>

#include "support.hpp"

namespace collcast {
namespace {

TEST(Listing, OfAllPlatforms) {
  const std::vector<PlatformSummary> all = list_platforms();
  ASSERT_EQ(all.size(), shipped_platforms().size());
  EXPECT_EQ(all[0].name, "flat");
  EXPECT_EQ(all[0].max_ranks, 1 << 24);
  EXPECT_EQ(all[0].gpus_per_node, 0);
  EXPECT_EQ(all[1].name, "summit");
  EXPECT_EQ(all[1].max_ranks, 27648);
  EXPECT_EQ(all[1].gpus_per_node, 6);
  EXPECT_EQ(all[1].stamp, Stamp::guess);
  EXPECT_EQ(all[2].max_ranks, 648);
  EXPECT_EQ(all[3].max_ranks, 256);
}

/// What docs/platforms.md shows in a fenced block that begins so.
std::string shown(const std::string& beginning) {
  std::ifstream in(COLLCAST_SOURCE_DIR "/docs/platforms.md");
  std::ostringstream text;
  text << in.rdbuf();
  const std::size_t fence = text.str().find(beginning), begin = text.str().find('\n', fence) + 1;
  return text.str().substr(begin, text.str().find("```", begin) - begin);
}

TEST(Documentation, ExampleIsASoundPlatform) {
  const Description d = parse_platform(shown("```json\n"), "example", "docs/platforms.md");
  EXPECT_EQ(summary(d).max_ranks, 32);
  EXPECT_EQ(Machine(d, 32).port_name(Machine(d, 32).wire(0, 2, Bytes(0)).out), "node 0 NIC out");
}

TEST(Documentation, ExampleIsASoundDragonfly) {
  const Description d =
      parse_platform(shown("```json\n{\n  \"base\": \"edr-cluster\""), "example", "docs/platforms.md");
  EXPECT_EQ(summary(d).max_ranks, 72);
  // All 7 ports of each switch are taken: 2 of 9 x 4 switches' to nodes, 3 in the group, 2 between groups.
  std::size_t links = 0;
  const Machine m(d, 72);
  for (LinkId l = 0; l < m.links().size(); ++l) links += m.link_name(l).starts_with("group");
  EXPECT_EQ(links, 9u * 4 * (3 + 2));
}

TEST(Documentation, ExampleIsASoundPlacement) {
  const std::string path = scratch("documented-ranks.txt");
  std::ofstream(path) << shown("```\nrank 0=");
  const Machine m(load_platform("summit"), 2, parse_placement(path));
  EXPECT_EQ(m.node(0), 3);
  EXPECT_EQ(m.port_name(m.wire(1, 0, Bytes(0)).out), "node 7 NIC 1 out");
}

}  // namespace
}  // namespace collcast
