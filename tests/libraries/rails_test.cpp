// SPDX-License-Identifier: Apache-2.0
// Messages of NCCL between nodes stay on a rail: they leave by the card that their receiver's is opposite to.
#include <gtest/gtest.h>

#include "libraries/transport.hpp"
#include "platforms/description/load.hpp"

namespace collcast {
namespace {

/// The card by which a message leaves, and through how many switches' links it goes between the nodes.
struct Way {
  std::string out;
  std::size_t links;
};

Way way(const char* platform, const nccl::KernelSettings& protocol, Rank from, Rank to) {
  const Transport transport{Transport::Kind::nccl, protocol};
  const Description d = load_platform(platform);
  const Machine machine(carrying(transport, d), 16);
  const std::unique_ptr<Fabric> fabric = fabric_of(transport, machine, d);
  std::vector<LinkId> links;
  fabric->route({from, Memory::device}, {to, Memory::device}, links);
  std::size_t trunks = 0;
  for (const LinkId l : links) trunks += fabric->link_name(l).find("leaf") != std::string::npos;
  return {fabric->port_name(fabric->wire({from, Memory::device}, {to, Memory::device}, Bytes(4096)).out),
          trunks};
}

constexpr nccl::KernelSettings ring{.minor = 18};

/// A DGX H100 has a card for each GPU, and a switch for each card of a node: a ring that ends at GPU 1 goes
/// on to GPU 0 of the next node, by its own card 0 and one switch. NCCL's search calls that "nic0 gpu0 ...
/// gpu1".
TEST(Rails, ARingLeavesByTheCardThatItEnteredBy) {
  const Way crossed = way("dgx-h100", ring, 1, 8);
  EXPECT_EQ(crossed.out, "node 0 NIC 0 out");
  EXPECT_EQ(crossed.links, 0);
  EXPECT_EQ(way("dgx-h100", ring, 3, 11).out, "node 0 NIC 3 out");
}

/// ncclSend goes by another GPU's card since 2.12 (PXN), and only over NVLink.
TEST(Rails, PairsStayOnThemSincePxn) {
  EXPECT_EQ(way("dgx-h100", {.minor = 18, .peers = 1}, 1, 8).links, 0);
  EXPECT_EQ(way("dgx-a100", {.minor = 11, .peers = 1}, 1, 8).out, "node 0 NIC 1 out");
  EXPECT_GT(way("dgx-a100", {.minor = 11, .peers = 1}, 1, 8).links, 0);
}

/// A rank's messages by several cards do not take turns: those by one card do.
TEST(Rails, EachCardHasAQueue) {
  const Transport transport{Transport::Kind::nccl, nccl::KernelSettings{.minor = 18, .peers = 1}};
  const Description d = load_platform("dgx-h100");
  const Machine machine(carrying(transport, d), 24);
  const std::unique_ptr<Fabric> fabric = fabric_of(transport, machine, d);
  const auto queue = [&](Rank from, Rank to) {
    return fabric->wire({from, Memory::device}, {to, Memory::device}, Bytes(4096)).out_queue;
  };
  EXPECT_NE(queue(0, 8), queue(0, 9));
  EXPECT_EQ(queue(0, 9), queue(0, 17));  // the card opposite to GPU 1 of both nodes
  EXPECT_NE(queue(0, 9), queue(1, 9));   // each rank has queues of its own
}

/// Nobody sits opposite: the sender's own card.
TEST(Rails, OfNodesThatAreNotAlike) {
  const Transport transport{Transport::Kind::nccl, ring};
  const Description d = load_platform("dgx-h100");
  const Machine machine(carrying(transport, d), 9);
  const std::unique_ptr<Fabric> fabric = fabric_of(transport, machine, d);
  const auto out = [&](Rank from, Rank to) {
    return fabric->port_name(fabric->wire({from, Memory::device}, {to, Memory::device}, Bytes(64)).out);
  };
  EXPECT_EQ(out(8, 3), "node 1 NIC 0 out");
  EXPECT_EQ(out(3, 8), "node 0 NIC 0 out");
}

}  // namespace
}  // namespace collcast
