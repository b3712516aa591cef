// SPDX-License-Identifier: Apache-2.0
// Multicasts over UDP, on this machine's loopback interface: all arrives, once, whatever gets lost.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "execution/check/verify.hpp"
#include "execution/mpi/multicast/ip_multicast.hpp"
#include "execution/mpi/player.hpp"
#include "support/error.hpp"
#include "tests/execution/mpi/calls.hpp"
#include "tests/execution/mpi/world.hpp"
#include "tests/names.hpp"

namespace collcast::mpi {
namespace {

const char* const group = "239.192.7.1:47001%lo";

/// A communicator whose multicasts are real.
std::shared_ptr<Communicator> real(double loss = 0, const char* address = group) {
  auto communicator = std::make_shared<Communicator>(world()->handle());
  communicator->multicast_over({parse_group(address), loss});
  return communicator;
}

std::vector<const Algorithm*> multicasting() {
  std::vector<const Algorithm*> rows(catalogue().begin(), catalogue().end());
  std::erase_if(rows, [](const Algorithm* a) { return !demands(*a).multicast; });
  return rows;
}

class Multicasting : public ::testing::TestWithParam<const Algorithm*> {
 protected:
  void expect_right(const std::shared_ptr<Communicator>& communicator, std::size_t elements) {
    bool first = true;
    for_each_call(*GetParam(), world()->size(), [&](Call call) {
      if (elements > 10000 && !std::exchange(first, false)) return;
      call = with_elements(*GetParam(), call, elements);
      const auto wrong = verify(*GetParam(), call, communicator);
      EXPECT_FALSE(wrong) << describe(*GetParam(), call) << ": " << wrong->words();
    });
  }
};

TEST_P(Multicasting, EqualsTheLibrarys) {
  const auto communicator = real();
  for (std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1009}, std::size_t{80021}})
    expect_right(communicator, n);
}

TEST_P(Multicasting, SurvivesLoss) {
  const auto communicator = real(0.05);
  for (std::size_t n : {std::size_t{1}, std::size_t{80021}}) expect_right(communicator, n);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Multicasting, ::testing::ValuesIn(multicasting()), test_name);

/// Every packet is sent once and taken once by each receiver; what is lost is repeated.
TEST(IpMulticast, TakesEachPacketOnce) {
  for (double loss : {0.0, 0.1}) {
    const auto communicator = real(loss);
    Call call;
    call.message = Bytes(8e6);
    std::vector<double> send(1000000, world()->rank()), recv(1000000);
    Player player(algorithm(Collective::broadcast, "multicast"), call, MPI_DOUBLE, MPI_SUM, communicator);
    for (int i = 0; i < 3; ++i) player.run(send.data(), recv.data());
    const PacketCounts packets = communicator->multicast()->total();
    const auto receivers = static_cast<std::uint64_t>(world()->size() - 1);
    EXPECT_EQ(packets.taken, receivers * packets.sent);
    EXPECT_GE(packets.repeated * receivers, receivers == 0 ? 0 : packets.dropped / receivers);
    if (receivers != 0) {
      EXPECT_GE(packets.sent, 3 * 8000000u / 65507);
      EXPECT_EQ(packets.dropped == 0, loss == 0);
    }
  }
}

/// A rank that comes late to the next play finds its packets kept.
TEST(IpMulticast, KeepsWhatComesEarly) {
  const auto communicator = real(0.02);
  Call call;
  call.message = Bytes(8.0 * 997 * world()->size());
  const auto n = static_cast<std::size_t>(997 * world()->size());
  std::vector<double> send(997, world()->rank()), recv(n);
  Player first(algorithm(Collective::allgather, "multicast"), call, MPI_DOUBLE, MPI_SUM, communicator);
  Player second(algorithm(Collective::allgather, "multicast"), call, MPI_DOUBLE, MPI_SUM, communicator);
  std::vector<double> other(n);
  for (int i = 0; i < 20; ++i) {
    std::ranges::fill(recv, -1);
    std::ranges::fill(other, -1);
    first.start(send.data(), recv.data());
    second.start(send.data(), other.data());
    (world()->rank() % 2 == 0 ? first : second).wait();
    first.wait(), second.wait();
    for (std::size_t e = 0; e < n; ++e) {
      ASSERT_EQ(recv[e], static_cast<double>(e / 997)) << i;
      ASSERT_EQ(other[e], static_cast<double>(e / 997)) << i;
    }
  }
}

TEST(IpMulticast, PortInUse) {
  const int other = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in everywhere{};
  everywhere.sin_family = AF_INET;
  everywhere.sin_port = htons(47002);
  const int bound = bind(other, reinterpret_cast<const sockaddr*>(&everywhere), sizeof everywhere);
  MPI_Barrier(world()->handle());
  try {
    real(0, "239.192.7.1:47002%lo");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(),
                 "multicast group 239.192.7.1:47002%lo: the port cannot be had: Address already in use");
  }
  MPI_Barrier(world()->handle());
  close(other);
  (void)bound;  // of the ranks of a machine one has it
}

TEST(IpMulticast, NoSuchInterface) {
  try {
    real(0, "239.192.7.1:47001%nowhere");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "multicast group 239.192.7.1:47001%nowhere: no such interface: No such device");
  }
}

TEST(GroupAddress, IsGroupPortAndInterface) {
  const GroupAddress a = parse_group("239.1.2.3:5000%eth0");
  EXPECT_EQ(a.group, htonl(0xef010203));
  EXPECT_EQ(a.port, 5000);
  EXPECT_EQ(a.interface, "eth0");
  EXPECT_EQ(a.words(), "239.1.2.3:5000%eth0");
  EXPECT_EQ(parse_group("224.0.1.1:1").words(), "224.0.1.1:1");
}

TEST(GroupAddress, RefusesOthers) {
  const auto words = [](const char* text) -> std::string {
    try {
      parse_group(text);
    } catch (const InputError& e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  const std::string like = "; groups are like 239.1.2.3:5000 or 239.1.2.3:5000%eth0";
  EXPECT_EQ(words("239.1.2.3"), "multicast group '239.1.2.3' has no port" + like);
  EXPECT_EQ(words("239.1.2.3%a:1"), "multicast group '239.1.2.3%a:1' has no port" + like);
  EXPECT_EQ(words("239.1.2:5"), "multicast group '239.1.2:5' is no IPv4 address" + like);
  EXPECT_EQ(words("10.1.2.3:5"),
            "multicast group '10.1.2.3:5' is not between 224.0.0.0 and 239.255.255.255" + like);
  for (const char* port : {"0", "65536", "", "5x", "-1"})
    EXPECT_EQ(words((std::string("239.1.2.3:") + port).c_str()),
              "multicast group '239.1.2.3:" + std::string(port) +
                  "' has a port that is not between 1 and 65535" + like);
  EXPECT_EQ(words("239.1.2.3:5%"), "multicast group '239.1.2.3:5%' names no interface behind %" + like);
}

/// A message of 10 bytes in packets of 4: 4, 4 and 2.
TEST(Reassembly, PutsPacketsInTheirPlaces) {
  std::vector<std::byte> bytes(10);
  Reassembly message(bytes, 4);
  EXPECT_EQ(message.packets(), 3u);
  EXPECT_EQ(message.place(2).data(), bytes.data() + 8);
  EXPECT_EQ(message.place(2).size(), 2u);
  EXPECT_TRUE(message.place(3).empty());
  EXPECT_EQ(message.gap_before(2), (PacketRange{0, 2}));
  EXPECT_TRUE(message.take(2));
  EXPECT_EQ(message.gap_before(1), PacketRange{});
  EXPECT_EQ(message.overdue(8), (std::vector<PacketRange>{{0, 2}}));
  EXPECT_TRUE(message.take(0));
  EXPECT_FALSE(message.take(0)) << "it was there already";
  EXPECT_FALSE(message.take(3)) << "there is none";
  EXPECT_EQ(message.next(), 1u);
  EXPECT_FALSE(message.complete());
  EXPECT_TRUE(message.take(1));
  EXPECT_TRUE(message.complete());
  EXPECT_EQ(message.next(), 3u);
}

TEST(Reassembly, IsOverdueWhereOthersHaveComeAndAtItsEnd) {
  std::vector<std::byte> bytes(8);
  Reassembly message(bytes, 1);
  EXPECT_EQ(message.overdue(8), (std::vector<PacketRange>{{7, 1}}));
  for (std::uint32_t p : {1u, 4u}) message.take(p);
  EXPECT_EQ(message.overdue(8), (std::vector<PacketRange>{{0, 1}, {2, 2}, {7, 1}}));
  EXPECT_EQ(message.overdue(2), (std::vector<PacketRange>{{0, 1}, {2, 2}}));
  message.take(7);
  EXPECT_EQ(message.overdue(8), (std::vector<PacketRange>{{0, 1}, {2, 2}, {5, 2}}));
}

TEST(Reassembly, OfNothingIsOneEmptyPacket) {
  Reassembly message({}, 4);
  EXPECT_EQ(message.packets(), 1u);
  EXPECT_TRUE(message.place(0).empty());
  EXPECT_TRUE(message.take(0));
  EXPECT_TRUE(message.complete());
}

}  // namespace
}  // namespace collcast::mpi
