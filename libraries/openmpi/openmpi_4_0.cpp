// SPDX-License-Identifier: Apache-2.0
#include "libraries/mpi.hpp"
#include "libraries/rules.hpp"

namespace collcast {
namespace {

/// What a rule looks at.
struct Asked {
  double bytes;  ///< of the whole message, or of one rank's block
  double ranks, elements;
  bool power_of_two() const { return collcast::power_of_two(static_cast<Rank>(ranks)); }
  bool even() const { return static_cast<Rank>(ranks) % 2 == 0; }
};
using Holds = bool (*)(const Asked&);
bool always(const Asked&) {
  return true;
}
bool two_ranks(const Asked& a) {
  return a.ranks == 2;
}

/// The first row of a collective that holds decides.
struct OpenmpiRule {
  Collective collective;
  bool block;  ///< `bytes` are of one rank's block
  Holds holds;
  std::string_view theirs, ours;  ///< ours: empty if the catalogue lacks it
  double segment = 0;             ///< bytes; 0: whole messages
};

constexpr double KiB = 1024;

// clang-format off
const OpenmpiRule openmpi_4_0_rules[] = {
    {Collective::allreduce, false, [](const Asked& a) { return a.bytes < 10000; }, "recursive_doubling", "recursive-doubling"},
    {Collective::allreduce, false, [](const Asked& a) { return a.elements > a.ranks && a.bytes <= a.ranks * 1024 * KiB; }, "ring", "ring"},
    {Collective::allreduce, false, [](const Asked& a) { return a.elements > a.ranks; }, "segmented_ring", "ring"},
    {Collective::allreduce, false, always, "nonoverlapping", "reduce-broadcast"},

    {Collective::broadcast, false, [](const Asked& a) { return a.bytes < 2048 || a.elements <= 1; }, "binomial", "binomial-doubling"},
    {Collective::broadcast, false, [](const Asked& a) { return a.bytes < 370728; }, "split_binary_tree", "split-binary-tree", KiB},
    {Collective::broadcast, false, [](const Asked& a) { return a.ranks < 1.6134e-6 * a.bytes + 2.1102; }, "pipeline", "chain", 128 * KiB},
    {Collective::broadcast, false, [](const Asked& a) { return a.ranks < 13; }, "split_binary_tree", "split-binary-tree", 8 * KiB},
    {Collective::broadcast, false, [](const Asked& a) { return a.ranks < 2.3679e-6 * a.bytes + 1.1787; }, "pipeline", "chain", 64 * KiB},
    {Collective::broadcast, false, [](const Asked& a) { return a.ranks < 3.2118e-6 * a.bytes + 8.7936; }, "pipeline", "chain", 16 * KiB},
    {Collective::broadcast, false, always, "pipeline", "chain", 8 * KiB},

    {Collective::reduce, false, [](const Asked& a) { return a.ranks < 8 && a.bytes < 512; }, "linear", "flat"},
    {Collective::reduce, false, [](const Asked& a) { return (a.ranks < 8 && a.bytes < 20480) || a.bytes < 2048 || a.elements <= 1; }, "binomial", "knomial"},
    {Collective::reduce, false, [](const Asked& a) { return a.ranks > 0.6016 / KiB * a.bytes + 1.3496; }, "segmented binomial", "knomial"},
    {Collective::reduce, false, [](const Asked& a) { return a.ranks > 0.0410 / KiB * a.bytes + 9.7128; }, "pipeline", "chain", KiB},
    {Collective::reduce, false, [](const Asked& a) { return a.ranks > 0.0422 / KiB * a.bytes + 1.1614; }, "binary", "pipelined-tree", 32 * KiB},
    {Collective::reduce, false, [](const Asked& a) { return a.ranks > 0.0033 / KiB * a.bytes + 1.6761; }, "pipeline", "chain", 32 * KiB},
    {Collective::reduce, false, always, "pipeline", "chain", 64 * KiB},

    {Collective::reduce_scatter, false,
     [](const Asked& a) { return a.bytes <= 12 * KiB || (a.bytes <= 256 * KiB && a.power_of_two()) || a.ranks >= 0.0012 * a.bytes + 8; },
     "recursive_halving", "recursive-halving"},
    {Collective::reduce_scatter, false, always, "ring", "ring"},

    {Collective::allgather, false, two_ranks, "two_proc", "recursive-doubling"},
    {Collective::allgather, false, [](const Asked& a) { return a.bytes < 50000 && a.power_of_two(); }, "recursive_doubling", "recursive-doubling"},
    {Collective::allgather, false, [](const Asked& a) { return a.bytes < 50000; }, "bruck", "bruck"},
    {Collective::allgather, false, [](const Asked& a) { return a.even(); }, "neighbor", "neighbor-exchange"},
    {Collective::allgather, false, always, "ring", "ring"},

    {Collective::allgatherv, false, two_ranks, "two_proc", "linear"},
    {Collective::allgatherv, false, [](const Asked& a) { return a.bytes < 50000; }, "bruck", "bruck"},
    {Collective::allgatherv, false, [](const Asked& a) { return a.even(); }, "neighbor", "neighbor-exchange"},
    {Collective::allgatherv, false, always, "ring", "ring"},

    {Collective::alltoall, true, two_ranks, "two_proc", "pairwise"},
    {Collective::alltoall, true, [](const Asked& a) { return a.bytes < 200 && a.ranks > 12; }, "modified_bruck", "bruck"},
    {Collective::alltoall, true, [](const Asked& a) { return a.bytes < 3000; }, "linear", "linear"},
    {Collective::alltoall, true, always, "pairwise", "pairwise"},
    {Collective::alltoallv, false, always, "pairwise", "pairwise"},

    {Collective::gather, true, [](const Asked& a) { return a.bytes > 6000; }, "linear_sync", "linear-sync"},
    {Collective::gather, true, [](const Asked& a) { return a.ranks > 60 || (a.ranks > 10 && a.bytes < 1024); }, "binomial", "knomial"},
    {Collective::gather, true, always, "basic_linear", "linear"},
    {Collective::scatter, true, [](const Asked& a) { return a.ranks > 10 && a.bytes < 300; }, "binomial", "knomial"},
    {Collective::scatter, true, always, "basic_linear", "linear"},

    {Collective::barrier, false, [](const Asked& a) { return a.power_of_two(); }, "recursive_doubling", "recursive-doubling"},
    {Collective::barrier, false, always, "bruck", "dissemination"},
};
// clang-format on

}  // namespace

Pick openmpi_4_0_pick(Collective collective, const Call& call, const Situation& situation) {
  for (const OpenmpiRule& r : openmpi_4_0_rules) {
    if (r.collective != collective) continue;
    const double bytes = r.block ? call.message.value / call.ranks : call.message.value;
    if (!r.holds({bytes, static_cast<double>(call.ranks), call.message / situation.element})) continue;
    return openmpi_play(
        "openmpi-4.0", collective, call,
        {.theirs = r.theirs, .ours = r.ours, .bytes = bytes, .block = r.block, .segment = Bytes(r.segment)});
  }
  throw no_rule("openmpi-4.0", collective, openmpi_4_0_ruled());
}

std::vector<Collective> openmpi_4_0_ruled() {
  return collectives_of(openmpi_4_0_rules);
}

}  // namespace collcast
