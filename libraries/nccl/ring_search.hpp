// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/units.hpp"
#include "platforms/description/blueprint.hpp"

namespace collcast {

/// What a release of NCCL takes links to carry when it looks for channels: by their kind, not by measurement.
struct ChannelSpeeds {
  double nvlink_GBps;               ///< one NVLink, from the second generation on
  std::vector<double> levels_GBps;  ///< speeds of a channel that it tries, from the highest
};
/// Those of NCCL 2.`minor`, from 2.6 on. NVIDIA/nccl, src/graph/topo.h and search.cc.
ChannelSpeeds nccl_speeds(int minor);

/// Rings, or chains for trees, that run side by side without sharing any link's capacity.
struct Channels {
  struct Channel {
    std::vector<int> gpus;  ///< positions in Blueprint::ranks_on, in the order of the ring or chain
    int nic = -1;           ///< of the node, where the ring enters and leaves it; -1 on one node
  };
  std::vector<Channel> channels;  ///< none where the node has no two GPUs and no network is crossed
  BytesPerSecond bandwidth;       ///< of each
  bool nvlink = false;            ///< between GPUs only NVLinks are used
};

/// A tree is a chain within a node; data go up and down it.
enum class ChannelShape : std::uint8_t { ring, tree };
enum class ChannelReach : std::uint8_t { node, network };

/// The channels that NCCL's search finds (before it doubles them): those of the highest total speed, NVLinks
/// first. A communicator of one node asks with `node`, a larger one with `network`.
///
///     const Blueprint b = read_blueprint(load_platform("dgx-1v"));
///     find_channels(b, ChannelShape::ring, ChannelReach::node, nccl_speeds(18));  // 6 rings of 20 GB/s
Channels find_channels(const Blueprint& blueprint, ChannelShape shape, ChannelReach reach,
                       const ChannelSpeeds& speeds);

/// The channels of NVLS (NVLink SHARP) on Hopper GPUs: one for each GPU, and for each network card at most;
/// all GPUs share each. None for fewer than three GPUs on a node.
Channels find_switch_channels(const Blueprint& blueprint, ChannelReach reach, const ChannelSpeeds& speeds);

}  // namespace collcast
