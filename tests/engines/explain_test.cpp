// SPDX-License-Identifier: Apache-2.0
// Which link is named, and which engine `auto` takes, on ranks that share a trunk.
#include "engines/explain.hpp"

#include <gtest/gtest.h>

#include "engines/automatic.hpp"
#include "tests/engines/contention/shared_fabric.hpp"
#include "tests/engines/player/schedules.hpp"

namespace collcast {
namespace {

using testing::SharedFabric, testing::multicasts;
using Hold = MessageProtocol::Hold;

/// Links of 1 B/s on both sides of a trunk of 2 B/s: a message waits for the first of the slowest, out of its
/// sender, unless the trunk is busier by a quarter.
TEST(Explanation, NamesTheTrunkOnlyWhereItIsClearlyBusier) {
  const SharedFabric fabric(2, 2, Hold::injection);
  const std::vector<Delay> chain = {{Cause::queue, 0, 1, Seconds(10)}};
  for (const auto& [trunk, name] : {std::pair{11.0, "out 0"}, {12.5, "out 0"}, {13.0, "trunk"}}) {
    std::vector<Result::Use> used(fabric.links().size());
    used[0].busy = Seconds(10), used.back().busy = Seconds(trunk);
    const auto shares = explanation(fabric, chain, Seconds(0), Seconds(10), "", {}, used);
    ASSERT_EQ(shares.size(), 1u);
    EXPECT_EQ(shares[0].name, name) << trunk;
  }
}

/// Ports of three nodes, with the same names.
class Nodes : public SharedFabric {
 public:
  Nodes() : SharedFabric(3, 2, Hold::injection) {}
  std::string port_name(Port port) const override {
    return port < 3 ? "node " + std::to_string(port) + " NIC out" : SharedFabric::port_name(port);
  }
};

/// Corresponding links are one entry, named by the one that takes longest, or the first of several; what the
/// chain leaves of the time is queueing.
TEST(Explanation, AddsUpLinksThatCorrespond) {
  const auto of = [](double first, double second) {
    return explanation(Nodes(), {{Cause::link, 0, 2, Seconds(first)}, {Cause::link, 1, 2, Seconds(second)}},
                       Seconds(0), Seconds(10), "trunk");
  };
  for (const auto& [first, second, name] :
       {std::tuple{4, 4, "node 0 NIC out"}, {3, 5, "node 1 NIC out"}, {5, 3, "node 0 NIC out"}}) {
    const auto shares = of(first, second);
    ASSERT_EQ(shares.size(), 2u);
    EXPECT_EQ(shares[0].name, name);
    EXPECT_EQ(shares[0].time, Seconds(8));
    EXPECT_EQ(shares[0].alike, 2u);
    EXPECT_EQ(shares[1].name, "trunk");
    EXPECT_EQ(shares[1].cause, Cause::queue);
    EXPECT_EQ(shares[1].time, Seconds(2));
  }
}

/// Each rank in turn multicasts to all: 360,000 messages of 600 ranks are more than 300,000, 250,000 of 500
/// ranks are not. A multicast may meet others where ports are not held until it has arrived.
TEST(Automatic, CountsWhatIsMulticast) {
  EXPECT_FALSE(messages_may_share(multicasts(600), SharedFabric(600, 1, Hold::injection)));
  EXPECT_TRUE(messages_may_share(multicasts(500), SharedFabric(500, 1, Hold::injection)));
  EXPECT_FALSE(messages_may_share(multicasts(500), SharedFabric(500, 1, Hold::delivery)));
}

}  // namespace
}  // namespace collcast
