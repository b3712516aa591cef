// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "support/error.hpp"

namespace collcast {

enum class NodeLink : std::uint8_t { nvlink, pci };
enum class Gpu : std::uint8_t { pascal, volta, ampere, hopper, blackwell, cdna2, cdna3 };
constexpr bool of_amd(Gpu gpu) {
  return gpu >= Gpu::cdna2;
}
/// Whether the GPU is Hopper or a later one of NVIDIA.
constexpr bool since_hopper(Gpu gpu) {
  return gpu >= Gpu::hopper && !of_amd(gpu);
}
enum class Cpu : std::uint8_t { intel, amd, power, other };

/// What a library knows of the machine when it chooses. A node has the call's ranks / `nodes` ranks.
struct Situation {
  Rank nodes = 1;
  Rank on_a_node = 0;                ///< ranks of the fullest node; 0: as many as on the others
  Rank on_the_first = 0;             ///< ranks of the first rank's node; 0: as many as on the others
  NodeLink link = NodeLink::nvlink;  ///< between the GPUs of a node
  int channels = 2;                  ///< channels that NCCL's search finds, before NCCL doubles them
  BytesPerSecond intra_bandwidth = BytesPerSecond(20e9);  ///< of one channel on a node
  BytesPerSecond inter_bandwidth = BytesPerSecond(12e9);  ///< of one channel between nodes
  BytesPerSecond node_bandwidth =
      {};  ///< of all channels on the node whose links carry the least; 0: channels * intra_bandwidth
  BytesPerSecond nvlink_bandwidth =
      {};  ///< of all channels on one of several nodes, if that were alone; 0: no limit
  BytesPerSecond tree_bandwidth = {};    ///< of one channel of a tree on a node; 0: intra_bandwidth
  int switch_channels = 0;               ///< of NVLS; 0: the node's switches cannot multicast and reduce
  BytesPerSecond switch_bandwidth = {};  ///< of one such channel
  bool same_channels = true;             ///< all channels visit the GPUs of a node in the same order
  int rails = 1;                         ///< network cards of a node that the channels use
  BytesPerSecond rail_bandwidth = BytesPerSecond(12e9);  ///< of one card, each way
  BytesPerSecond gpudirect_bandwidth = {};  ///< of a card that accesses GPU memory; 0: rail_bandwidth
  Seconds network_latency = {};  ///< one way, beyond InfiniBand's microsecond that NCCL's constants include
  bool gpudirect = true;  ///< only PCIe switches or C2C between GPU and card, so that LL128 may cross nodes
  Gpu gpu = Gpu::volta;
  Cpu cpu = Cpu::intel;
  bool staged = true;              ///< a message between nodes may be staged in host memory
  int rccl_tuning = 0;             ///< RCCL's set of constants for the node (nccl/rccl.hpp)
  bool rccl_ll128 = false;         ///< RCCL has LL128 on this node
  BytesPerSecond rccl_links = {};  ///< of all links of a GPU together, as RCCL counts them
  Bytes element = Bytes(4);        ///< of the data type: MPICH compares counts

  /// Whether GPUs of a node communicate only over NVLink, as NCCL's LL128 requires.
  bool nvlink_only() const { return link == NodeLink::nvlink || on_a_node == 1; }
};

/// A library's choice, in terms of the catalogue.
struct Pick {
  std::string_view algorithm;
  int radix = 2;
  int channels = 1;
  std::optional<Bytes> segment = {};      ///< of the whole message; empty: the library does not say
  std::string_view protocol = {};         ///< LL, LL128 or Simple; empty without protocols
  bool in_host = false;                   ///< staged in host memory (`in_host_memory`), unless data are there
  bool blocking = false;                  ///< sends return when their buffers are free, as MPI_Send does
  std::optional<Seconds> predicted = {};  ///< by the library's own model
  std::string why = {};                   ///< one line
};

/// Thrown if a library's choice is not known: it has no rule for the collective, or its algorithm is not in
/// the catalogue.
struct NoRule : InputError {
  using InputError::InputError;
};

/// The choice of the library named by `policy`. Throws NoRule if it is not known, and InputError for an
/// unknown policy.
Pick pick(std::string_view policy, Collective collective, const Call& call, const Situation& situation);

/// The collectives that the policy has rules for. Throws InputError for an unknown policy.
std::vector<Collective> ruled(std::string_view policy);

/// Whether the policy is NCCL's or RCCL's, whatever its release and settings.
constexpr bool is_nccl(std::string_view policy) {
  return policy.starts_with("nccl") || policy.starts_with("rccl");
}
/// Throws InputError unless `pick` knows the name.
void check_policy(std::string_view policy);
/// Throws InputError if the policy's library does not send from this memory.
void check_memory(std::string_view policy, Memory memory);
/// The names that `pick` knows. Those of NCCL may be followed by settings (nccl/nccl.hpp).
std::vector<std::string> policies();

}  // namespace collcast
