// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "validation/testbed/switch/layout.hpp"

namespace collcast::testbed {

/// The destination of a frame. Host h has the hardware address 02:cc:00:00:hh:hh; broadcast and multicast go
/// to everyone. Nothing for other addresses.
std::optional<Host> destination(std::span<const std::byte> frame, Host hosts);

/// Whether the frame carries UDP over IPv4.
bool is_datagram(std::span<const std::byte> frame);

}  // namespace collcast::testbed
