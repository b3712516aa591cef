// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <limits>
#include <span>

#include "libraries/nccl/nccl.hpp"

namespace collcast::nccl {

/// A constant and the first release 2.`minor` that has it; it holds until the next row.
template <class T>
struct Since {
  int minor;
  T value;
};

template <class T>
const T& at(std::span<const Since<T>> rows, int minor) {
  const Since<T>* found = &rows.front();
  for (const Since<T>& row : rows)
    if (row.minor <= minor) found = &row;
  return found->value;
}

template <class T, std::size_t N>
const T& at(const std::array<Since<T>, N>& rows, int minor) {
  return at(std::span<const Since<T>>(rows), minor);
}

/// From this release on NCCL takes LL to move half of what Simple moves, as flags take the other half, and to
/// have a limit for all channels of a Hopper GPU. A single channel still is as fast as its threads: eight
/// H100 take 14 steps in 18.7 us for 64 KiB on two channels and in 20.2 us for 256 KiB on eight
/// (all_reduce_perf of p5.48xlarge, aws-samples/awsome-distributed-training, 3.aws-batch).
constexpr int ll_takes_half = 21;

using PerProtocol = std::array<double, 3>;  ///< LL, LL128, Simple
using PerNodes = std::array<double, 3>;     ///< 1 node, 2 nodes, more
using PerGpu = std::array<double, 7>;       ///< in the order of Gpu; AMD's have constants of their own
using PerSize = std::array<double, 23>;     ///< messages of 64 B, 128 B, ..., 256 MiB

inline double of(const PerProtocol& values, Protocol protocol) {
  return values[static_cast<std::size_t>(protocol)];
}

/// What a step crosses: NCCL_HW_NVLINK, NCCL_HW_PCI, NCCL_HW_NET.
enum class Hardware : std::uint8_t { nvlink, pci, net };

constexpr double unlimited = std::numeric_limits<double>::infinity();

// The constants of NCCL's tuner by release (src/graph/tuning.cc); names in brackets are its own units.

/// The latency of a launch [us].
const PerProtocol& base_latency(int minor, Shape shape);
/// The latency of a step [us].
const PerProtocol& step_latency(int minor, Hardware wire, Shape shape);

/// The highest bandwidth of LL on all channels [GB/s]; it depends on the GPU on one node, on the CPU on
/// several.
double most_ll(int minor, Rank nodes, Gpu gpu, Cpu cpu);
/// The highest bandwidth of LL128 on a channel [GB/s].
double most_ll128(int minor, Shape shape, Collective collective, Rank nodes, Gpu gpu);
/// The highest bandwidth of a tree on all channels [GB/s].
double most_tree(int minor, Protocol protocol, Rank nodes, Gpu gpu, int channels);
/// The highest bandwidth of NVLSTree on a channel [GB/s].
double most_nvls_tree(int minor, Rank nodes, Gpu gpu);
/// The highest bandwidth of all channels, whatever the algorithm [GB/s].
double most_in_all(int minor, Gpu gpu);

/// The share of its bandwidth that a tree reaches with this message size.
double tree_correction(int minor, Protocol protocol, Bytes message);

/// The sizes from which a ring with Simple over several nodes has a higher latency, and the factor of that.
struct Plateau {
  double bytes_per_rank = 0, bytes_per_rank_and_channel = 0;
  PerGpu factor = {};
};
const Plateau& plateau(int minor);

// Rules that differ between releases.
double tree_share(int minor);                   ///< share of the bus bandwidth for a tree
double tree_ll128_share_of_nodes(int minor);    ///< share of that, for LL128 over several nodes
double tree_ll128_share_of_channel(int minor);  ///< share of most_ll128 for a tree
double ring_ll128_share_alone(int minor);       ///< share of the bus bandwidth, with one rank per node
double ring_ll_share(int minor, Collective collective, Rank nodes);
double pat_share(int minor);
bool has_pat(int minor);
/// Whether NCCL_ALGO lists algorithms by function, and must leave one for each.
bool algorithms_by_function(int minor);
bool has_nvls(int minor, Gpu gpu);
bool has_nvls_tree(int minor);
bool nvls_tree_is_a_chain(int minor);  ///< its latency is that of a chain of nodes
bool nvls_by_efficiency(int minor);    ///< its bandwidth is computed from nvls_efficiency
double nvls_share(int minor);          ///< otherwise: share of its channels' bandwidth
double nvls_efficiency(Gpu gpu);
double ll_slowdown_on_nodes(int minor);        ///< factor on steps within a node if there are several nodes
double network_overhead(int minor, Cpu cpu);   ///< the least latency of a ring's step between nodes [us]
bool one_extra_node_step(int minor);           ///< an allreduce ring crosses nodes 2N instead of 2(N-1) times
bool lone_ranks_take_tree_latency(int minor);  ///< rings with one rank per node have the latency of trees
bool power_has_short_pci_trees(int minor);
bool ll128_runs(int minor, const Situation& s);

/// Throws InputError unless the release has constants for the GPU.
void check_gpu(int minor, Gpu gpu);
/// The first 2.`minor` that has constants for the GPU.
int first_release(Gpu gpu);
/// The first release from 2.`least` on that has constants for the GPU; of RCCL the usual one.
Release release_for(Gpu gpu, int least);

}  // namespace collcast::nccl
