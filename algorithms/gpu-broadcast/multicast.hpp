// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

extern const Algorithm broadcast_multicast_packets, broadcast_multicast_streaming;

/// Packets that carry so many bytes; at least one.
Block packets(Bytes bytes, const Call& call);

}  // namespace collcast
