// SPDX-License-Identifier: Apache-2.0
#include "algorithms/catalogue.hpp"

#include <cmath>
#include <sstream>

#include "algorithms/allgather/bruck.hpp"
#include "algorithms/allgather/multicast.hpp"
#include "algorithms/allgather/neighbor-exchange.hpp"
#include "algorithms/allgather/nvls.hpp"
#include "algorithms/allgather/pat.hpp"
#include "algorithms/allgather/recursive-doubling.hpp"
#include "algorithms/allgather/ring.hpp"
#include "algorithms/allgatherv/linear.hpp"
#include "algorithms/allgatherv/ring.hpp"
#include "algorithms/allreduce/bine.hpp"
#include "algorithms/allreduce/double-tree.hpp"
#include "algorithms/allreduce/hierarchical-leader.hpp"
#include "algorithms/allreduce/hierarchical-ring.hpp"
#include "algorithms/allreduce/in-network.hpp"
#include "algorithms/allreduce/multi-ring.hpp"
#include "algorithms/allreduce/nvls-tree.hpp"
#include "algorithms/allreduce/nvls.hpp"
#include "algorithms/allreduce/one-shot.hpp"
#include "algorithms/allreduce/pipelined-tree.hpp"
#include "algorithms/allreduce/rabenseifner.hpp"
#include "algorithms/allreduce/recursive-doubling.hpp"
#include "algorithms/allreduce/recursive-multiplying.hpp"
#include "algorithms/allreduce/reduce-broadcast.hpp"
#include "algorithms/allreduce/ring.hpp"
#include "algorithms/allreduce/swing.hpp"
#include "algorithms/allreduce/two-shot.hpp"
#include "algorithms/alltoall/bruck.hpp"
#include "algorithms/alltoall/hierarchical.hpp"
#include "algorithms/alltoall/linear.hpp"
#include "algorithms/alltoall/pairwise.hpp"
#include "algorithms/alltoallv/linear.hpp"
#include "algorithms/alltoallv/pairwise.hpp"
#include "algorithms/barrier/dissemination.hpp"
#include "algorithms/barrier/linear.hpp"
#include "algorithms/barrier/recursive-doubling.hpp"
#include "algorithms/barrier/ring.hpp"
#include "algorithms/barrier/tree.hpp"
#include "algorithms/broadcast/chain.hpp"
#include "algorithms/broadcast/double-tree.hpp"
#include "algorithms/broadcast/flat.hpp"
#include "algorithms/broadcast/hierarchical-leader.hpp"
#include "algorithms/broadcast/knomial.hpp"
#include "algorithms/broadcast/multicast.hpp"
#include "algorithms/broadcast/pipelined-tree.hpp"
#include "algorithms/broadcast/scatter-allgather-rd.hpp"
#include "algorithms/broadcast/scatter-allgather-ring.hpp"
#include "algorithms/broadcast/split-binary-tree.hpp"
#include "algorithms/exscan/linear.hpp"
#include "algorithms/exscan/recursive-doubling.hpp"
#include "algorithms/gather/knomial.hpp"
#include "algorithms/gather/linear.hpp"
#include "algorithms/gatherv/linear.hpp"
#include "algorithms/gpu-broadcast/knomial.hpp"
#include "algorithms/gpu-broadcast/ring.hpp"
#include "algorithms/gpu-broadcast/streaming.hpp"
#include "algorithms/halo.hpp"
#include "algorithms/multi-broadcast/multicast.hpp"
#include "algorithms/multi-broadcast/ring.hpp"
#include "algorithms/multi-broadcast/streaming.hpp"
#include "algorithms/reduce-scatter/nvls.hpp"
#include "algorithms/reduce-scatter/pairwise.hpp"
#include "algorithms/reduce-scatter/pat.hpp"
#include "algorithms/reduce-scatter/recursive-halving.hpp"
#include "algorithms/reduce-scatter/ring.hpp"
#include "algorithms/reduce-scatterv/linear.hpp"
#include "algorithms/reduce-scatterv/pairwise.hpp"
#include "algorithms/reduce-scatterv/ring.hpp"
#include "algorithms/reduce/chain.hpp"
#include "algorithms/reduce/flat.hpp"
#include "algorithms/reduce/knomial.hpp"
#include "algorithms/reduce/pipelined-tree.hpp"
#include "algorithms/reduce/rabenseifner.hpp"
#include "algorithms/scan/linear.hpp"
#include "algorithms/scan/recursive-doubling.hpp"
#include "algorithms/scatter/knomial.hpp"
#include "algorithms/scatter/linear.hpp"
#include "algorithms/scatterv/linear.hpp"
#include "algorithms/sendrecv/direct.hpp"
#include "support/error.hpp"
#include "support/suggest.hpp"

namespace collcast {
namespace {

// clang-format off
const Algorithm* const rows[] = {
    &allreduce_ring,
    &allreduce_multi_ring,
    &allreduce_recursive_doubling,
    &allreduce_recursive_multiplying,
    &allreduce_rabenseifner,
    &allreduce_reduce_broadcast,
    &allreduce_pipelined_tree,
    &allreduce_double_tree,
    &allreduce_one_shot,
    &allreduce_two_shot,
    &allreduce_hierarchical_leader,
    &allreduce_hierarchical_ring,
    &allreduce_swing,
    &allreduce_bine,
    &allreduce_in_network,
    &allreduce_nvls,
    &allreduce_nvls_tree,
    &reduce_scatter_ring,
    &reduce_scatter_recursive_halving,
    &reduce_scatter_pairwise,
    &reduce_scatter_pat,
    &reduce_scatter_nvls,
    &allgather_ring,
    &allgather_recursive_doubling,
    &allgather_bruck,
    &allgather_neighbor_exchange,
    &allgather_pat,
    &allgather_multicast,
    &allgather_nvls,
    &broadcast_flat,
    &broadcast_knomial,
    &broadcast_chain,
    &broadcast_pipelined_tree,
    &broadcast_split_binary_tree,
    &broadcast_double_tree,
    &broadcast_scatter_allgather_ring,
    &broadcast_scatter_allgather_rd,
    &broadcast_hierarchical_leader,
    &broadcast_multicast,
    &broadcast_ring_direct,
    &broadcast_ring_staging,
    &broadcast_ring_pipeline,
    &broadcast_knomial_direct,
    &broadcast_knomial_staging,
    &broadcast_knomial_pipeline,
    &broadcast_multicast_streaming,
    &reduce_flat,
    &reduce_knomial,
    &reduce_chain,
    &reduce_pipelined_tree,
    &reduce_rabenseifner,
    &gather_linear,
    &gather_knomial,
    &scatter_linear,
    &scatter_knomial,
    &alltoall_linear,
    &alltoall_pairwise,
    &alltoall_bruck,
    &alltoall_hierarchical,
    &scan_recursive_doubling,
    &scan_linear,
    &exscan_recursive_doubling,
    &exscan_linear,
    &barrier_dissemination,
    &barrier_recursive_doubling,
    &barrier_ring,
    &barrier_tree,
    &barrier_linear,
    &sendrecv_direct,
    &alltoallv_linear,
    &alltoallv_pairwise,
    &allgatherv_linear,
    &allgatherv_ring,
    &reduce_scatterv_linear,
    &reduce_scatterv_ring,
    &reduce_scatterv_pairwise,
    &gatherv_linear,
    &scatterv_linear,
    &halo_1d_direct,
    &halo_2d_direct,
    &halo_3d_direct,
    &multi_broadcast_ring,
    &multi_broadcast_multicast,
    &multi_broadcast_streaming,
    &multi_broadcast_prestaged,
    &multi_broadcast_overlapped,
};
// clang-format on

constexpr int most_channels = 1024;

std::string bytes(Bytes b) {
  std::ostringstream words;
  words << b.value << " B";
  return words.str();
}

void check_counts(const Definition& d, const Call& c) {
  const std::string name(d.name);
  if (!d.counted) throw InputError(name + " takes no counts; its blocks are equal");
  const Block wanted = d.blocks(c.ranks);
  if (static_cast<Block>(c.counts.size()) != wanted)
    throw InputError(name + " on " + std::to_string(c.ranks) + " ranks takes " + std::to_string(wanted) +
                     " counts, got " + std::to_string(c.counts.size()));
  Bytes sum;
  for (Bytes count : c.counts) {
    if (!(count >= Bytes(0))) throw InputError("a count must be 0 B or more, got " + bytes(count));
    sum += count;
  }
  const Bytes whole = static_cast<double>(d.whole(c.ranks)) * c.message;
  if (std::abs(sum.value - whole.value) > 0.5)
    throw InputError("the counts add up to " + bytes(sum) + ", not to " + bytes(whole));
}

}  // namespace

std::span<const Algorithm* const> catalogue() {
  return rows;
}

std::vector<const Algorithm*> algorithms(Collective collective) {
  std::vector<const Algorithm*> found;
  for (const Algorithm* a : rows)
    if (a->collective == collective) found.push_back(a);
  return found;
}

const Algorithm& algorithm(Collective collective, std::string_view name) {
  std::vector<std::string> known;
  for (const Algorithm* a : algorithms(collective)) {
    if (a->name == name) return *a;
    known.emplace_back(a->name);
  }
  throw InputError("no algorithm '" + std::string(name) + "' for " +
                   std::string(definition(collective).name) + suggestion(name, known));
}

void check(Collective collective, const Call& c) {
  if (c.ranks < 1) throw InputError("ranks must be 1 or more, got " + std::to_string(c.ranks));
  if (c.root < 0 || c.root >= c.ranks)
    throw InputError("root must be a rank from 0 to " + std::to_string(c.ranks - 1) + ", got " +
                     std::to_string(c.root));
  if (c.radix < 2) throw InputError("radix must be 2 or more, got " + std::to_string(c.radix));
  if (c.segments < 1) throw InputError("segments must be 1 or more, got " + std::to_string(c.segments));
  if (!(c.buffer > Bytes(0))) throw InputError("a buffer must be larger than 0 B, got " + bytes(c.buffer));
  if (c.channels < 1 || c.channels > most_channels)
    throw InputError("channels must be from 1 to " + std::to_string(most_channels) + ", got " +
                     std::to_string(c.channels));
  if (c.ranks_per_node < 1)
    throw InputError("ranks per node must be 1 or more, got " + std::to_string(c.ranks_per_node));
  if (!c.counts.empty()) check_counts(definition(collective), c);
}

void check(const Algorithm& a, const Call& c) {
  check(a.collective, c);
  if (!a.supports(c.ranks))
    throw InputError(full_name(a) + " needs ranks: " + a.ranks + ", got " + std::to_string(c.ranks));
  if (a.ranks_per_node && c.ranks % c.ranks_per_node != 0)
    throw InputError("ranks per node must divide " + std::to_string(c.ranks) + " ranks, got " +
                     std::to_string(c.ranks_per_node));
}

Layout layout(const Algorithm& a, const Call& c, const Schedule& schedule) {
  if (!c.counts.empty()) return Layout(c.counts);
  const Block whole = definition(a.collective).whole(c.ranks);
  return Layout::equal(static_cast<double>(whole) * c.message, schedule.blocks);
}

Rank a_few_ranks(const Algorithm& a) {
  for (Rank r = 4; r <= (1 << 16); ++r)
    if (a.supports(r)) return r;
  return a.supports(3) ? 3 : a.supports(2) ? 2 : 1;
}

Demands demands(const Algorithm& a) {
  Call small{.ranks = a_few_ranks(a)};
  small.message = Bytes(1);
  small.ranks_per_node = a.ranks_per_node && small.ranks % 2 == 0 ? 2 : 1;
  Demands found;
  const auto meet = [&](bool& demand, Ranks group) {
    demand = true;
    found.between_nodes |= group[0] / small.ranks_per_node != group[group.count - 1] / small.ranks_per_node;
  };
  for_each_step(a.schedule(small), false, [&](const Step& step) {
    for (const Multicast& m : step.multicasts) meet(found.multicast, m.to);
    for (const Reduction& m : step.reductions) meet(found.reduction, m.from);
  });
  return found;
}

}  // namespace collcast
