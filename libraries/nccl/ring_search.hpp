// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "libraries/policy.hpp"
#include "model/units.hpp"
#include "platforms/description/blueprint.hpp"

namespace collcast {

// NCCL's search for channels (NVIDIA/nccl, src/graph/search.cc). A channel is a ring over all GPUs of a node,
// or a chain for trees. For a falling sequence of speeds the search packs as many channels side by side as
// the links have capacity for, using NVLinks alone if possible, and keeps the packing of highest total
// bandwidth. Link speeds are NCCL's constants by kind of link, not the platform's measurements, as NCCL does
// not measure.

/// The speeds that a release of NCCL assumes of links and tries for channels, highest first, in GB/s.
struct ChannelSpeeds {
  double nvlink;                            ///< speed of one NVLink, from the second generation on
  std::vector<double> on_node, on_network;  ///< of a channel
  double many_split = 0;       ///< speed from which more than four channels are split in two; 0: as for fewer
  std::size_t most_heads = 0;  ///< NVLS: the most GPUs of a node that each take a share of the sum
  bool pxn = false;            ///< a ring may leave the node by NVLink to the GPU at whose card it entered
};
/// The speeds of NCCL 2.`minor`, from 2.6 on. `oldest`: the generation of the oldest GPU. NVIDIA/nccl,
/// src/graph/topo.h and search.cc.
ChannelSpeeds nccl_speeds(int minor, Gpu oldest);

/// Rings or chains that run side by side without sharing the capacity of any link.
struct Channels {
  struct Channel {
    std::vector<int> gpus;  ///< positions in Blueprint::ranks_on, in the order of the ring or chain
    int nic = -1;           ///< the NIC by which the ring enters and leaves the node; -1 on one node
  };
  std::vector<Channel> channels;  ///< empty on one node with fewer than two GPUs
  BytesPerSecond bandwidth;       ///< of each channel
  bool nvlink = false;            ///< only NVLinks are used between GPUs
};

/// The shape of a channel. Within a node a tree is a chain, which data go up and down.
enum class ChannelShape : std::uint8_t { ring, tree };
enum class ChannelReach : std::uint8_t { node, network };

/// The channels that NCCL finds, before it doubles them. `reach`: `node` for a communicator on one node, else
/// `network`.
///
///     const Blueprint b = read_blueprint(load_platform("dgx-1v"));
///     find_channels(b, ChannelShape::ring, ChannelReach::node, nccl_speeds(18, Gpu::volta));  // 6 of 20
///     GB/s
Channels find_channels(const Blueprint& blueprint, ChannelShape shape, ChannelReach reach,
                       const ChannelSpeeds& speeds);

/// The channels of NVLS (NVLink SHARP) on Hopper GPUs, each shared by all GPUs of the node: one per GPU, but
/// no more than there may be heads, or than there are network cards. None with fewer than three GPUs on a
/// node.
Channels find_switch_channels(const Blueprint& blueprint, ChannelReach reach, const ChannelSpeeds& speeds);

}  // namespace collcast
