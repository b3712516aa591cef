// SPDX-License-Identifier: Apache-2.0
// An alltoall's units go by ways that make the busiest link as little busy as it can be.
#include <gtest/gtest.h>

#include <map>

#include "forecast/predict.hpp"
#include "forecast/synthesis/flow.hpp"
#include "model/proof.hpp"
#include "platforms/description/load.hpp"

namespace collcast {
namespace {

/// Links of so many bytes per second, and which of them a message between two ranks takes.
class Table final : public Fabric {
 public:
  explicit Table(Rank ranks) : ranks_(ranks) {}
  LinkId add(double bandwidth) {
    links_.push_back({BytesPerSecond(bandwidth)});
    return static_cast<LinkId>(links_.size() - 1);
  }
  void take(Rank from, Rank to, std::vector<LinkId> way) { routes_[{from, to}] = std::move(way); }

  Rank ranks() const override { return ranks_; }
  Wire wire(Place, Place, Bytes) const override { return {}; }
  SecondsPerByte gamma(Place) const override { return {}; }
  const MessageProtocol& protocol() const override { return protocol_; }
  Port ports() const override { return 0; }
  std::string port_name(Port) const override { return {}; }
  const std::vector<Link>& links() const override { return links_; }
  std::string link_name(LinkId link) const override { return "link " + std::to_string(link); }
  void route(Place from, Place to, std::vector<LinkId>& way) const override {
    const auto& taken = routes_.at({from.rank, to.rank});
    way.insert(way.end(), taken.begin(), taken.end());
  }

 private:
  Rank ranks_;
  MessageProtocol protocol_;
  std::vector<Link> links_;
  std::map<std::pair<Rank, Rank>, std::vector<LinkId>> routes_;
};

void expect_holds(const Flow& flow) {
  for (const bool in_turns : {false, true})
    for (const Block segments : {1, 3}) {
      const auto wrong =
          prove(schedule(listing(flow, in_turns), segments), flow.addressed.collective, flow.addressed.root);
      EXPECT_FALSE(wrong) << wrong->words();
    }
}

/// Every two ranks have a link of their own: nothing is gained by others.
TEST(Flow, OfAFullMeshIsDirect) {
  Table mesh(8);
  for (Rank a = 0; a < 8; ++a)
    for (Rank b = 0; b < 8; ++b)
      if (a != b) mesh.take(a, b, {mesh.add(10)});
  const Flow flow = least_busy(mesh, {}, 4);
  EXPECT_TRUE(flow.direct());
  EXPECT_DOUBLE_EQ(flow.time, 0.1);
  EXPECT_NEAR(flow.least, 0.1, 1e-9);
  EXPECT_EQ(listing(flow, false).steps.size(), 1U);
  EXPECT_EQ(listing(flow, true).steps.size(), 7U);
  expect_holds(flow);
}

/// Four ranks on a ring whose routes to the opposite rank all go clockwise: three bytes cross each of those
/// links and one each of the others. Half of what goes to the opposite rank by the other neighbour makes that
/// two and two, and 8 links cannot carry the 8 + 2 * 4 bytes times hops in less.
TEST(Flow, OfARingGoesBothWays) {
  Table ring(4);
  std::vector<LinkId> on, back;
  for (Rank r = 0; r < 4; ++r) on.push_back(ring.add(1)), back.push_back(ring.add(1));
  for (Rank r = 0; r < 4; ++r) {
    const auto at = [](Rank i) { return static_cast<std::size_t>(i % 4); };
    ring.take(r, (r + 1) % 4, {on[at(r)]});
    ring.take(r, (r + 2) % 4, {on[at(r)], on[at(r + 1)]});
    ring.take(r, (r + 3) % 4, {back[at(r)]});
  }
  const Flow flow = least_busy(ring, {}, 4);
  EXPECT_NEAR(flow.time, 2, 1e-9);
  EXPECT_NEAR(flow.least, 2, 0.01);
  EXPECT_FALSE(flow.direct());
  expect_holds(flow);
}

/// Five ranks on a ring, of which those that are no neighbours have a slow way of their own. What is for the
/// root comes over its two links, from two ranks by each: two shares, of which one goes by the neighbour.
TEST(Flow, OfOneRootGoesByOthers) {
  Table ring(5);
  for (Rank a = 0; a < 5; ++a)
    for (Rank b = 0; b < 5; ++b)
      if (a != b) ring.take(a, b, {ring.add((a - b + 5) % 5 % 3 == 1 ? 1 : 1e-4)});
  for (const Collective c : {Collective::gather, Collective::scatter}) {
    const Flow flow = least_busy(ring, {c, 2}, 12);
    EXPECT_NEAR(flow.time, 2, 1e-9);
    EXPECT_NEAR(flow.least, 2, 0.01);
    EXPECT_EQ(listing(flow, false).steps.size(), 2U);
    expect_holds(flow);
  }
}

/// Two nodes of two, joined by an uplink of 1 byte per second: of each byte four cross it.
TEST(Flow, OfAThinUplinkIsItsCut) {
  Table nodes(4);
  const LinkId up = nodes.add(1), down = nodes.add(1);
  for (Rank a = 0; a < 4; ++a)
    for (Rank b = 0; b < 4; ++b)
      if (a != b)
        nodes.take(a, b, a / 2 == b / 2 ? std::vector{nodes.add(100)} : std::vector{a < b ? up : down});
  const Flow flow = least_busy(nodes, {}, 2);
  EXPECT_TRUE(flow.direct());
  EXPECT_DOUBLE_EQ(flow.time, 4);
  EXPECT_NEAR(flow.least, 4, 0.01);
}

/// On a DGX-1V some NVLinks are double, and some GPUs have none between them: prices come near what is
/// reached.
TEST(Flow, OfAnIrregularMachineIsNearItsBound) {
  const Forecaster dgx(load_platform("dgx-1v"), 8);
  const Flow flow = least_busy(dgx.fabric(), {}, 12);
  EXPECT_LE(flow.least, flow.time * (1 + 1e-9));
  EXPECT_GE(flow.least, flow.time * 0.97);
}

TEST(Flow, StopsWhenAsked) {
  Table ring(3);
  const LinkId slow = ring.add(1);
  for (Rank a = 0; a < 3; ++a)
    for (Rank b = 0; b < 3; ++b)
      if (a != b) ring.take(a, b, {a == 0 && b == 1 ? slow : ring.add(100)});
  EXPECT_TRUE(least_busy(ring, {}, 10, [] { return true; }).direct());
  const Flow flow = least_busy(ring, {}, 10);
  EXPECT_FALSE(flow.direct());
  EXPECT_NEAR(flow.time, 0.02, 1e-9);  // two bytes from rank 0 to rank 2; a unit over the slow link takes 0.1
  expect_holds(flow);
}

/// Two nodes, whose GPUs share ports of 12.5 GB/s.
Flow between_nodes(Rank gpus, Rank per_port) {
  Table nodes(2 * gpus);
  std::vector<LinkId> out, in;
  for (Rank port = 0; port < 2 * gpus / per_port; ++port)
    out.push_back(nodes.add(12.5e9)), in.push_back(nodes.add(12.5e9));
  const auto port = [&](Rank r) { return static_cast<std::size_t>(r / per_port); };
  for (Rank a = 0; a < 2 * gpus; ++a)
    for (Rank b = 0; b < 2 * gpus; ++b)
      if (a != b)
        nodes.take(
            a, b,
            a / gpus == b / gpus ? std::vector{nodes.add(25e9)} : std::vector{out[port(a)], in[port(b)]});
  return least_busy(nodes, {}, 2);
}

/// Links as TACCL and TE-CCL have them: TACCL reaches 3.125 GB/s on two NDv2, TE-CCL 12.42 on two DGX-2, of
/// which the cut is 12.5. A message of n has n/16 or n/32 for each.
TEST(Flow, OfPublishedLinks) {
  EXPECT_NEAR(16 / between_nodes(8, 8).time, 3.125e9, 1);
  EXPECT_NEAR(32 / between_nodes(16, 2).time, 12.5e9, 1);
}

}  // namespace
}  // namespace collcast
