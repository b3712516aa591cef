// SPDX-License-Identifier: Apache-2.0
// Contention on the links between switches, computed by hand.
#include "tests/engines/contended_engines.hpp"
#include "tests/engines/player/scripts.hpp"
#include "tests/platforms/support.hpp"

namespace collcast {
namespace {

using namespace testing;

constexpr double bytes = 72e6;

/// When the last receiver has its message, each pair (from, to) sending one; the same by every engine.
Seconds last_arrival(const Description& platform, const std::vector<std::pair<Rank, Rank>>& messages) {
  const Machine machine(platform, capped_ranks(platform));
  std::vector<Script> scripts(static_cast<std::size_t>(machine.ranks()));
  for (const auto& [from, to] : messages) {
    scripts[static_cast<std::size_t>(from)] = {{send(to, bytes)}};
    scripts[static_cast<std::size_t>(to)] = {{receive(from, bytes)}};
  }
  Written program(std::move(scripts));
  const Seconds time = contend(program, machine).time;
  for (const ContendedEngine& engine : contended_engines())
    EXPECT_NEAR(engine.play(program, machine).time.value, time.value, 1e-9) << engine.name;
  return time;
}

TEST(Contention, TwoFlowsOverOneLinkOfATorusGetHalfEach) {
  // A ring of 7 with links of 9 GB/s: 8 ms a message. From 0 to 2 and from 1 to 3 share the link from 1 to 2.
  const Description ring = torus(7, "7");
  const Seconds alone = last_arrival(ring, {{0, 2}}), both = last_arrival(ring, {{0, 2}, {1, 3}});
  EXPECT_NEAR((both - alone).value, 8e-3, 1e-9);
  // From 1 to 3 and from 4 to 2 use the two ways of one, and from 5 to 6 another.
  EXPECT_NEAR((last_arrival(ring, {{1, 3}, {4, 2}, {5, 6}}) - alone).value, 0, 1e-9);
}

TEST(Contention, GroupsOfADragonflyShareTheLinkBetweenThem) {
  // Two nodes per switch, 8 GB/s between groups: 9 ms a message. Switch 0 of groups 0 and 1 have the link
  // between these; from group 0 to group 2 there is another.
  const Description d = dragonfly(12, 3, 2, 1, 2);
  const Seconds alone = last_arrival(d, {{0, 4}});
  EXPECT_NEAR((last_arrival(d, {{0, 4}, {1, 5}}) - alone).value, 9e-3, 1e-9);
  EXPECT_NEAR((last_arrival(d, {{0, 4}, {2, 8}}) - alone).value, 0, 1e-9);
}

}  // namespace
}  // namespace collcast
