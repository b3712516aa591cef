// SPDX-License-Identifier: Apache-2.0
// Messages of NCCL between nodes stay on a rail: they leave by the card that their receiver's is opposite to.
#include <gtest/gtest.h>

#include <set>

#include "libraries/transport.hpp"
#include "platforms/description/load.hpp"
#include "support/json.hpp"

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
  const Machine machine(beneath(transport, d), 16);
  const std::unique_ptr<Fabric> fabric = fabric_of(transport, machine, d);
  std::vector<LinkId> links;
  fabric->route({from, Memory::device}, {to, Memory::device}, links);
  std::size_t trunks = 0;
  for (const LinkId l : links) trunks += fabric->link_name(l).find("leaf") != std::string::npos;
  return {fabric->port_name(fabric->wire({from, Memory::device}, {to, Memory::device}, Bytes(4096)).out),
          trunks};
}

constexpr nccl::KernelSettings ring{.release = 18};

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
  EXPECT_EQ(way("dgx-h100", {.release = 18, .peers = 1}, 1, 8).links, 0);
  EXPECT_EQ(way("dgx-a100", {.release = 11, .peers = 1}, 1, 8).out, "node 0 NIC 1 out");
  EXPECT_GT(way("dgx-a100", {.release = 11, .peers = 1}, 1, 8).links, 0);
}

/// A rank's messages by several cards do not take turns: those by one card do.
TEST(Rails, EachCardHasAQueue) {
  const Transport transport{Transport::Kind::nccl, nccl::KernelSettings{.release = 18, .peers = 1}};
  const Description d = load_platform("dgx-h100");
  const Machine machine(beneath(transport, d), 24);
  const std::unique_ptr<Fabric> fabric = fabric_of(transport, machine, d);
  const auto queue = [&](Rank from, Rank to) {
    return fabric->wire({from, Memory::device}, {to, Memory::device}, Bytes(4096)).out_queue;
  };
  EXPECT_NE(queue(0, 8), queue(0, 9));
  EXPECT_EQ(queue(0, 9), queue(0, 17));  // the card opposite to GPU 1 of both nodes
  EXPECT_NE(queue(0, 9), queue(1, 9));   // each rank has queues of its own
}

/// A DGX H100 with the cards of its first four GPUs alone, which are next to its first cpu.
Description with_cards_at_one_cpu() {
  const Description whole = load_platform("dgx-h100");
  Json json = whole.json();
  const auto gone = [](const Json& link) {
    const std::string end = link["between"][0];
    return end >= "nic4" && end <= "nic7";
  };
  for (const char* nic : {"nic4", "nic5", "nic6", "nic7"}) json["node"]["vertices"].erase(nic);
  Json links = Json::array();
  for (const Json& link : json["node"]["links"])
    if (!gone(link)) links.push_back(link);
  json["node"]["links"] = links;
  return {whole.name(), whole.file(), std::move(json)};
}

/// GPU 4 has no card at its own cpu. PXN leaves by a GPU next to the card of the receiver's rail; there is no
/// PXN on receive, so that the message comes to GPU 4 by both cpus.
TEST(Rails, PxnLeavesNextToTheCardAndArrivesAnyway) {
  const Transport transport{Transport::Kind::nccl, nccl::KernelSettings{.release = 18, .peers = 1}};
  const Description d = with_cards_at_one_cpu();
  const Machine machine(beneath(transport, d), 16);
  const std::unique_ptr<Fabric> fabric = fabric_of(transport, machine, d);
  std::vector<LinkId> links;
  fabric->route({4, Memory::device}, {12, Memory::device}, links);
  std::set<std::string> names;
  for (const LinkId l : links) names.insert(fabric->link_name(l));
  EXPECT_FALSE(names.contains("node 0 cpu1 to cpu0"));
  EXPECT_TRUE(names.contains("node 1 cpu0 to cpu1"));
}

/// On Summit each cpu has a card: a GPU next to one goes by that cpu, too, so each sends by its own.
TEST(Rails, NobodyIsNextToACardBehindACpu) {
  const Machine summit(load_platform("summit"), 12);
  EXPECT_FALSE(summit.next_to_card(0, 9));
  const Machine h100(load_platform("dgx-h100"), 16);
  EXPECT_EQ(h100.next_to_card(0, 9), 1);
}

/// What an uplink slows holds no other message of ncclSend up.
TEST(Rails, ACardGoesOnToThoseThatAreReady) {
  const Description d = load_platform("dgx-h100");
  const auto next = [&](const nccl::KernelSettings& protocol) {
    const Transport transport{Transport::Kind::nccl, protocol};
    const Machine machine(beneath(transport, d), 16);
    return fabric_of(transport, machine, d)->wire({0, Memory::device}, {8, Memory::device}, Bytes(1e6)).next;
  };
  EXPECT_EQ(next({.release = 18, .peers = 15}), Wire::Next::when_due);
  EXPECT_EQ(next({.release = 18, .protocol = nccl::Protocol::ll, .peers = 15}), Wire::Next::when_left);
}

/// Nobody sits opposite: the sender's own card.
TEST(Rails, OfNodesThatAreNotAlike) {
  const Transport transport{Transport::Kind::nccl, ring};
  const Description d = load_platform("dgx-h100");
  const Machine machine(beneath(transport, d), 9);
  const std::unique_ptr<Fabric> fabric = fabric_of(transport, machine, d);
  const auto out = [&](Rank from, Rank to) {
    return fabric->port_name(fabric->wire({from, Memory::device}, {to, Memory::device}, Bytes(64)).out);
  };
  EXPECT_EQ(out(8, 3), "node 1 NIC 0 out");
  EXPECT_EQ(out(3, 8), "node 0 NIC 0 out");
}

}  // namespace
}  // namespace collcast
