// SPDX-License-Identifier: Apache-2.0
// What messages cost where software depends on their size.
#include "tests/platforms/pieces.hpp"

#include "platforms/description/plausible.hpp"
#include "support.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

using namespace testing;

struct ExpectedPiece {
  double overhead, receive_overhead, latency, gap, bandwidth_GBps, handshake;
};

void expect(const Wire& w, const ExpectedPiece& e) {
  EXPECT_NEAR(us(w.overhead), e.overhead, 1e-9);
  EXPECT_NEAR(us(w.receive_overhead), e.receive_overhead, 1e-9);
  EXPECT_NEAR(us(w.latency), e.latency, 1e-9);
  EXPECT_NEAR(us(w.gap), e.gap, 1e-9);
  EXPECT_NEAR(GBps(w.per_byte), e.bandwidth_GBps, 1e-9);
  EXPECT_EQ(w.eager, e.handshake == 0);
  EXPECT_NEAR(us(w.handshake), e.handshake, 1e-9);
}

TEST(Pieces, EachHoldsFromItsSizeOnAndReplacesTheKeysItGives) {
  const Machine m(with_pieces("summit"), 12);
  // NVLink 0.8, PCIe 0.1, port 0.15 at both ends, one switch 0.09 us.
  const double links = 2 * (0.8 + 0.1 + 0.15) + 0.09;
  expect(m.wire(0, 6, Bytes(0)), {1, 0, links + 3, 0.5, 1, 0});
  expect(m.wire(0, 6, Bytes(4095.9)), {1, 0, links + 3, 0.5, 1, 0});
  expect(m.wire(0, 6, Bytes(4096)), {1.5, 0, links + 6.1, 3.6, 4, 0});
  expect(m.wire(0, 6, Bytes(8192)), {1.5, 0, links + 6.1, 3.6, 4, 0});
  expect(m.wire(0, 6, Bytes(8193)), {1.5, 0, links + 6.1, 3.6, 4, 2});
  // What the last piece leaves out is as for the smallest messages, not as in the piece before.
  expect(m.wire(0, 6, Bytes(1 << 20)), {1, 2, links + 17, 13, 9, 2});
}

/// 8 bytes among 1,002 ranks are blocks of 0.008 bytes, which are no empty messages.
TEST(Pieces, ABlockOfLessThanAByteCostsWhatAByteDoes) {
  Description d = with_pieces("summit");
  for (const char* from : {"1e-5", "0.0009765625"}) {
    set(d, std::string("software.between_nodes.device.pieces.0.from_KiB=") + from);
    const Machine m(d, 12);
    EXPECT_NEAR(us(m.wire(0, 6, Bytes(0)).overhead), 1, 1e-9);
    for (const double bytes : {1e-3, 8.0 / 1002, 1.0})
      EXPECT_NEAR(us(m.wire(0, 6, Bytes(bytes)).overhead), 1.5, 1e-9) << from << ", " << bytes;
  }
}

TEST(Pieces, LinksBoundThePaceToo) {
  Description d = with_pieces("summit");
  set(d, "network.bandwidth_GBps=3");
  const Machine m(d, 12);
  EXPECT_NEAR(GBps(m.wire(0, 6, Bytes(0)).per_byte), 1, 1e-9);
  EXPECT_NEAR(GBps(m.wire(0, 6, Bytes(4096)).per_byte), 3, 1e-9);
}

TEST(Pieces, ClassesHaveTheirOwnProtocol) {
  const Machine m(with_pieces("summit"), 12);
  expect(m.wire(0, 1, Bytes(1000)), {0.5, 0, 0.8, 0, 50, 0});
  expect(m.wire(0, 1, Bytes(4096)), {0.5, 0, 0.8, 0.25, 50, 0});
  expect(m.wire(0, 1, Bytes(4097)), {0.5, 0, 0.8, 0.25, 50, 1});
}

TEST(Pieces, AcrossSocketsIsAClassOfItsOwn) {
  const Machine m(with_pieces("summit"), 12);
  // gpu0 to gpu3, over the X-bus; limit and handshake are those of the protocol.
  expect(m.wire(0, 3, Bytes(8192)), {0.75, 0, 1.8, 0, 6, 0});
  expect(m.wire(0, 3, Bytes(8193)), {0.75, 0, 1.8, 0, 6, 2});
  // Of host memory it says nothing: as within the node.
  expect(m.wire({0, Memory::host}, {3, Memory::host}, Bytes(4097)), {0.5, 0, 0.2, 0.25, 32, 1});
}

/// 4 KB at 4 GB/s.
TEST(Pieces, ProcessorsThatCopyAreBusyAtBothEnds) {
  Description d = with_pieces("summit");
  set(d, "software.in_node.host.processor_GBps=4");
  const Machine m(d, 12);
  expect(m.wire({0, Memory::host}, {1, Memory::host}, Bytes(4000)), {1.5, 1, 0.1, 0.25, 31.2, 0});
}

/// Above the limit of 4 KiB the receiver alone copies, at 2 GB/s, after the handshake; senders that block
/// have a limit of their own.
TEST(Pieces, ARendezvousMayBeCopiedOnce) {
  Description d = with_pieces("summit");
  for (const char* set_to : {"processor_GBps=4", "single_copy_GBps=2", "blocking_eager_limit_KiB=16"})
    set(d, std::string("software.in_node.host.") + set_to);
  const Place from{0, Memory::host}, to{1, Memory::host};
  const Wire large = Machine(d, 12).wire(from, to, Bytes(8192));
  EXPECT_FALSE(large.eager);
  EXPECT_NEAR(us(large.handshake), 1, 1e-9);
  EXPECT_NEAR(us(large.overhead), 0.5, 1e-9);
  EXPECT_NEAR(us(large.receive_overhead), 0, 1e-9);
  EXPECT_NEAR(GBps(large.per_byte), 2, 1e-9);
  EXPECT_EQ(Machine(d, 12).wire(from, to, Bytes(4096)).per_byte,
            Machine(with_pieces("summit"), 12).wire(from, to, Bytes(4096)).per_byte);

  const Machine blocking(with_blocking_sends(d), 12);
  EXPECT_TRUE(blocking.wire(from, to, Bytes(16384)).eager);
  EXPECT_NEAR(us(blocking.wire(from, to, Bytes(8000)).overhead), 0.5 + 2, 1e-9);
  EXPECT_FALSE(blocking.wire(from, to, Bytes(16385)).eager);
  EXPECT_EQ(with_blocking_sends(with_pieces("summit")).json(), with_pieces("summit").json());
}

/// The queue is the receiver's.
TEST(Pieces, AMessageAfterOneOfAnotherSenderMayCostMore) {
  Description d = with_pieces("summit");
  EXPECT_FALSE(Machine(d, 12).protocol().other_senders);
  set(d, "software.in_node.host.other_sender_us=2");
  const Machine m(d, 12);
  EXPECT_TRUE(m.protocol().other_senders);
  EXPECT_NEAR(us(m.wire({0, Memory::device}, {1, Memory::host}, Bytes(8)).other_sender), 2, 1e-9);
  EXPECT_EQ(us(m.wire({0, Memory::host}, {1, Memory::device}, Bytes(8)).other_sender), 0);
  EXPECT_EQ(us(m.wire({0, Memory::host}, {6, Memory::host}, Bytes(8)).other_sender), 0);
}

TEST(Pieces, CopiesOfARankKnowNoProtocol) {
  const Machine m(with_pieces("summit"), 6);
  expect(m.wire(0, {0, Memory::host}, Bytes(1 << 10)), {1, 0, 0.8, 0, 50, 0});
  expect(m.wire(0, {0, Memory::host}, Bytes(1 << 20)), {2, 0, 0.8, 0, 50, 0});
}

TEST(Pieces, TheMachineNamesTheSizesWhereWiresChange) {
  const std::vector<Bytes> sizes = Machine(with_pieces("summit"), 12).sizes();
  const std::vector<double> expected = {0, 1024, 4096, 4096, 8192, 32768, 65536};  // two just above a limit
  ASSERT_EQ(sizes.size(), expected.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) EXPECT_NEAR(sizes[i].value, expected[i], 1e-9);
  EXPECT_TRUE(std::ranges::is_sorted(sizes));
  EXPECT_EQ(Machine(load_platform("flat"), 12).sizes(), std::vector{Bytes(0)});
}

TEST(Pieces, ByPathAndWithPedigree) {
  Description d = with_pieces("summit");
  set(d, "software.between_nodes.device.pieces.1.overhead_us=7");
  EXPECT_NEAR(us(Machine(d, 12).wire(0, 6, Bytes(1 << 20)).overhead), 7, 1e-9);
  const Machine m(d, 12);
  EXPECT_TRUE(m.used_parameters().contains("software.between_nodes.device.pieces.1.overhead_us"));
  EXPECT_TRUE(m.used_parameters().contains("software.between_nodes.device.pieces.0.from_KiB"));
  const Machine slow(pessimistic(d), 12);
  EXPECT_NEAR(GBps(slow.wire(0, 6, Bytes(4096)).per_byte), 4 / 1.02, 1e-9);
}

TEST(Pieces, MustGrow) {
  Description d = with_pieces("summit");
  EXPECT_EQ(complaint([&] { set(d, "software.between_nodes.device.pieces.1.from_KiB=4"); }),
            "summit-with-pieces.json: software.between_nodes.device.pieces.1.from_KiB: must be above that of "
            "the piece before, 4.0");
  EXPECT_EQ(
      complaint([&] { edited("summit", "/software/in_node/host/pieces", Json::array({Json::object()})); }),
      "x.json: software.in_node.host.pieces.0: lacks the key from_KiB");
}

TEST(Pieces, APieceThatChargesLessIsNamed) {
  Description d = with_pieces("summit");
  set(d, "software.between_nodes.device.pieces.1.latency_us=1");
  EXPECT_EQ(
      text::join(implausible(d), "; "),
      d.name() +
          ": software.between_nodes.device: messages from 64 KiB on cost less than smaller ones: a larger "
          "message may be forecast to be faster; " +
          d.name() +
          ": software.between_nodes.host: messages from 64 KiB on cost less than smaller ones: a larger "
          "message may be forecast to be faster");
}

TEST(Pieces, ATorusThatKeepsSwitchesThatReduceIsNamed) {
  Description d = load_platform("edr-cluster");
  set_all(d, {"network.kind=torus", "network.dimensions=2,2,2", "max_nodes=8"});
  EXPECT_EQ(text::join(implausible(d), "; "),
            d.name() +
                ": network.in_network_reduction: no torus has had switches that reduce; null in a "
                "file drops what its base has");
}

TEST(Pieces, NoShippedOneChargesLess) {
  for (const std::string& name : shipped_platforms())
    EXPECT_EQ(text::join(implausible(load_platform(name)), "; "), "") << name;
}

}  // namespace
}  // namespace collcast
