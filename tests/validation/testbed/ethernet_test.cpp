// SPDX-License-Identifier: Apache-2.0
#include "validation/testbed/switch/ethernet.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

using namespace collcast::testbed;

namespace {

std::vector<std::byte> frame(std::initializer_list<int> address, int type = 0x0800, int protocol = 17) {
  std::vector<std::byte> bytes;
  for (const int b : address) bytes.push_back(std::byte(b));
  bytes.resize(60);
  bytes[12] = std::byte(type >> 8);
  bytes[13] = std::byte(type & 0xff);
  bytes[23] = std::byte(protocol);
  return bytes;
}

TEST(Ethernet, AddressesAreHosts) {
  EXPECT_EQ(destination(frame({0x02, 0xcc, 0, 0, 0, 3}), 8), Host{3});
  EXPECT_EQ(destination(frame({0x02, 0xcc, 0, 0, 1, 2}), 300), Host{258});
  EXPECT_EQ(destination(frame({0xff, 0xff, 0xff, 0xff, 0xff, 0xff}), 8), everyone);
  EXPECT_EQ(destination(frame({0x01, 0x00, 0x5e, 1, 2, 3}), 8), everyone);
}

TEST(Ethernet, OthersAreNobody) {
  EXPECT_EQ(destination(frame({0x02, 0xcc, 0, 0, 0, 8}), 8), std::nullopt);
  EXPECT_EQ(destination(frame({0x02, 0xcd, 0, 0, 0, 1}), 8), std::nullopt);
  EXPECT_EQ(destination(std::vector<std::byte>(13, std::byte{0xff}), 8), std::nullopt);
}

TEST(Ethernet, OnlyUdpOverIpv4IsADatagram) {
  EXPECT_TRUE(is_datagram(frame({1})));
  EXPECT_FALSE(is_datagram(frame({1}, 0x0800, 6)));
  EXPECT_FALSE(is_datagram(frame({1}, 0x0806, 17)));
  EXPECT_FALSE(is_datagram(std::vector<std::byte>(20)));
}

}  // namespace
