// SPDX-License-Identifier: Apache-2.0
#include "validation/testbed/switch/ethernet.hpp"

#include <algorithm>
#include <array>

namespace collcast::testbed {
namespace {

constexpr std::size_t header_size = 14, type_at = 12, protocol_at = header_size + 9;
constexpr std::array<std::byte, 4> ours = {std::byte{0x02}, std::byte{0xcc}, std::byte{0}, std::byte{0}};
constexpr std::byte group{0x01}, udp{17};
constexpr std::array<std::byte, 2> ipv4 = {std::byte{0x08}, std::byte{0}};

}  // namespace

std::optional<Host> destination(std::span<const std::byte> frame, Host hosts) {
  if (frame.size() < header_size) return std::nullopt;
  if ((frame[0] & group) != std::byte{0}) return everyone;
  if (!std::ranges::equal(frame.first(ours.size()), ours)) return std::nullopt;
  const auto host = static_cast<Host>(std::to_integer<int>(frame[4]) * 256 + std::to_integer<int>(frame[5]));
  return host < hosts ? std::optional(host) : std::nullopt;
}

bool is_datagram(std::span<const std::byte> frame) {
  return frame.size() > protocol_at && std::ranges::equal(frame.subspan(type_at, ipv4.size()), ipv4) &&
         frame[protocol_at] == udp;
}

}  // namespace collcast::testbed
