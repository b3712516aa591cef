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
enum class Gpu : std::uint8_t { pascal, volta, ampere, hopper, blackwell };
enum class Cpu : std::uint8_t { intel, amd, power, other };

/// What a library sees of the machine when it chooses. The ranks per node are the call's ranks / nodes.
struct Situation {
  Rank nodes = 1;
  NodeLink link = NodeLink::nvlink;  ///< between the GPUs of a node
  int channels = 2;                  ///< as NCCL's search finds them, before it doubles them
  BytesPerSecond intra_bandwidth = BytesPerSecond(20e9);  ///< of one channel on a node
  BytesPerSecond inter_bandwidth = BytesPerSecond(12e9);  ///< of one channel between nodes
  BytesPerSecond tree_bandwidth = {};    ///< of one channel of a tree on a node; 0: intra_bandwidth
  int switch_channels = 0;               ///< of NVLS; 0: the node's switches do not multicast and reduce
  BytesPerSecond switch_bandwidth = {};  ///< of one of them
  bool same_channels = true;             ///< all channels visit the GPUs of a node in the same order
  int rails = 1;                         ///< network cards of a node that the channels use
  BytesPerSecond rail_bandwidth = BytesPerSecond(12e9);  ///< of one, each way
  BytesPerSecond gpudirect_bandwidth = {};  ///< of one that reads and writes GPU memory; 0: rail_bandwidth
  Seconds network_latency = {};  ///< one way, beyond the microsecond of InfiniBand that NCCL's constants hold
  bool gpudirect = true;  ///< only PCIe switches lie between GPU and network card: LL128 may cross nodes
  Gpu gpu = Gpu::volta;
  Cpu cpu = Cpu::intel;
  bool staged = true;        ///< a message may cross nodes from the host's memory
  Bytes element = Bytes(4);  ///< of the data type: MPICH compares counts
};

/// What a library would play, in terms of the catalogue.
struct Pick {
  std::string_view algorithm;
  int radix = 2;
  int channels = 1;
  std::optional<Bytes> segment = {};  ///< of the whole message; empty: the policy does not say
  std::string_view protocol = {};     ///< LL, LL128 or Simple; empty without protocols
  bool in_host = false;   ///< copied to host memory, played there, and copied back (`in_host_memory`)
  bool blocking = false;  ///< sends return when their buffers are free: MPI_Send
  std::optional<Seconds> predicted = {};  ///< by the library's own model
  std::string why = {};                   ///< one line
};

/// What a library would play is not known: it has no rule for the collective, or one that leads outside the
/// catalogue.
struct NoRule : InputError {
  using InputError::InputError;
};

/// Which algorithm the library named by `policy` would use. Throws NoRule where that is not known, and
/// InputError for an unknown policy.
Pick pick(std::string_view policy, Collective collective, const Call& call, const Situation& situation);

/// The collectives that it has rules for. Throws InputError for an unknown policy.
std::vector<Collective> ruled(std::string_view policy);

/// Throws InputError unless `pick` knows the name.
void check_policy(std::string_view policy);
/// The names that `pick` knows; those of NCCL may have settings behind them (nccl.hpp).
std::vector<std::string> policies();

}  // namespace collcast
