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

using PerProtocol = std::array<double, 3>;  ///< LL, LL128, Simple
using PerNodes = std::array<double, 3>;     ///< 1 node, 2 nodes, more
using PerGpu = std::array<double, 5>;       ///< in the order of Gpu
using PerSize = std::array<double, 23>;     ///< messages of 64 B, 128 B, ..., 256 MiB

inline double of(const PerProtocol& values, Protocol protocol) {
  return values[static_cast<std::size_t>(protocol)];
}

enum class Wire : std::uint8_t { nvlink, pci, net };

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// The latency of a launch [us].
const PerProtocol& base_latency(int minor, Shape shape);
/// The latency of a step [us].
const PerProtocol& step_latency(int minor, Wire wire, Shape shape);

/// The most that LL reaches in all [GB/s]; by GPU on one node, by CPU on several.
double most_ll(int minor, Rank nodes, Gpu gpu, Cpu cpu);
/// The most that LL128 reaches on a channel [GB/s].
double most_ll128(int minor, Shape shape, Collective collective, Rank nodes, Gpu gpu);
/// The most that a tree reaches on all channels [GB/s].
double most_tree(int minor, Protocol protocol, Rank nodes, Gpu gpu, int channels);
/// The most that NVLSTree reaches on a channel [GB/s].
double most_nvls_tree(int minor, Rank nodes, Gpu gpu);
/// The most that all channels reach in any way [GB/s].
double most_in_all(int minor, Gpu gpu);

/// What a tree of this size reaches of its bandwidth.
double tree_correction(int minor, Protocol protocol, Bytes message);

/// Where the latency of a ring of Simple messages over nodes grows.
struct Plateau {
  double bytes_per_rank = 0, bytes_per_rank_and_channel = 0;
  PerGpu factor = {};
};
const Plateau& plateau(int minor);

/// Rules that changed from release to release.
double tree_share(int minor);                   ///< of the bus that a tree reaches
double tree_ll128_share_of_nodes(int minor);    ///< of that, LL128 over several nodes
double tree_ll128_share_of_channel(int minor);  ///< of most_ll128, in a tree
double ring_ll128_share_alone(int minor);       ///< of the bus, where a node has one rank
double ring_ll_share(int minor, Collective collective, Rank nodes);
double pat_share(int minor);
bool has_pat(int minor);
bool has_nvls(int minor, Gpu gpu);
bool has_nvls_tree(int minor);
bool nvls_tree_is_a_chain(int minor);  ///< of nodes, for its latency
bool nvls_by_efficiency(int minor);    ///< its bandwidth follows from the GPU's efficiency
double nvls_share(int minor);          ///< before that: of its channels' bandwidth
double nvls_efficiency(Gpu gpu);
double ll_slowdown_on_nodes(int minor);        ///< of steps inside a node, when there are several nodes
double network_overhead(int minor, Cpu cpu);   ///< the least that a ring's step costs over nodes [us]
bool one_extra_node_step(int minor);           ///< an allreduce ring crosses nodes 2N, not 2(N-1) times
bool lone_ranks_take_tree_latency(int minor);  ///< with one rank per node
bool power_has_short_pci_trees(int minor);
bool ll128_runs(int minor, const Situation& s);

/// Throws InputError unless the release has constants for the GPU.
void check_gpu(int minor, Gpu gpu);
/// The first 2.`minor` that has.
int first_release(Gpu gpu);

}  // namespace collcast::nccl
