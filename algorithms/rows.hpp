// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithms/algorithm.hpp"

namespace collcast {

// The rows of the catalogue, in its order. A new algorithm is defined in a file of its own and named here.
// clang-format off
#define COLLCAST_ALGORITHMS(row) \
  row(allreduce_ring) \
  row(allreduce_multi_ring) \
  row(allreduce_recursive_doubling) \
  row(allreduce_recursive_multiplying) \
  row(allreduce_rabenseifner) \
  row(allreduce_reduce_broadcast) \
  row(allreduce_pipelined_tree) \
  row(allreduce_double_tree) \
  row(allreduce_one_shot) \
  row(allreduce_two_shot) \
  row(allreduce_hierarchical_leader) \
  row(allreduce_hierarchical_ring) \
  row(allreduce_hierarchical_two_shot) \
  row(allreduce_swing) \
  row(allreduce_bine) \
  row(allreduce_in_network) \
  row(allreduce_nvls) \
  row(allreduce_nvls_tree) \
  row(reduce_scatter_ring) \
  row(reduce_scatter_recursive_halving) \
  row(reduce_scatter_butterfly) \
  row(reduce_scatter_pairwise) \
  row(reduce_scatter_linear) \
  row(reduce_scatter_pat) \
  row(reduce_scatter_reduce_then_scatter) \
  row(reduce_scatter_hierarchical) \
  row(reduce_scatter_nvls) \
  row(allgather_ring) \
  row(allgather_recursive_doubling) \
  row(allgather_bruck) \
  row(allgather_neighbor_exchange) \
  row(allgather_linear) \
  row(allgather_pat) \
  row(allgather_hierarchical) \
  row(allgather_multicast) \
  row(allgather_nvls) \
  row(broadcast_flat) \
  row(broadcast_knomial) \
  row(broadcast_binomial_doubling) \
  row(broadcast_chain) \
  row(broadcast_pipelined_tree) \
  row(broadcast_split_binary_tree) \
  row(broadcast_double_tree) \
  row(broadcast_scatter_allgather_ring) \
  row(broadcast_scatter_allgather_rd) \
  row(broadcast_scatter_allgather_linear) \
  row(broadcast_hierarchical_leader) \
  row(broadcast_hierarchical_scatter_allgather) \
  row(broadcast_multicast) \
  row(broadcast_ring_direct) \
  row(broadcast_ring_staging) \
  row(broadcast_ring_pipeline) \
  row(broadcast_knomial_direct) \
  row(broadcast_knomial_staging) \
  row(broadcast_knomial_pipeline) \
  row(broadcast_multicast_streaming) \
  row(reduce_flat) \
  row(reduce_knomial) \
  row(reduce_chain) \
  row(reduce_pipelined_tree) \
  row(reduce_rabenseifner) \
  row(gather_linear) \
  row(gather_knomial) \
  row(gather_linear_sync) \
  row(scatter_linear) \
  row(scatter_knomial) \
  row(alltoall_linear) \
  row(alltoall_pairwise) \
  row(alltoall_bruck) \
  row(alltoall_hierarchical) \
  row(scan_recursive_doubling) \
  row(scan_linear) \
  row(exscan_recursive_doubling) \
  row(exscan_linear) \
  row(barrier_dissemination) \
  row(barrier_recursive_doubling) \
  row(barrier_ring) \
  row(barrier_tree) \
  row(barrier_linear) \
  row(sendrecv_direct) \
  row(alltoallv_linear) \
  row(alltoallv_pairwise) \
  row(allgatherv_linear) \
  row(allgatherv_ring) \
  row(allgatherv_recursive_doubling) \
  row(allgatherv_bruck) \
  row(allgatherv_neighbor_exchange) \
  row(reduce_scatterv_linear) \
  row(reduce_scatterv_ring) \
  row(reduce_scatterv_pairwise) \
  row(gatherv_linear) \
  row(scatterv_linear) \
  row(halo_1d_direct) \
  row(halo_2d_direct) \
  row(halo_3d_direct) \
  row(multi_broadcast_ring) \
  row(multi_broadcast_multicast) \
  row(multi_broadcast_streaming) \
  row(multi_broadcast_prestaged) \
  row(multi_broadcast_overlapped)
// clang-format on

#define COLLCAST_DECLARE(row) extern const Algorithm row;
COLLCAST_ALGORITHMS(COLLCAST_DECLARE)
#undef COLLCAST_DECLARE

}  // namespace collcast
