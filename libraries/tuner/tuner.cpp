// SPDX-License-Identifier: Apache-2.0
#include "libraries/tuner/tuner.hpp"

#include <algorithm>

#include "libraries/tuner/write.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace collcast::tuner {
namespace {

using enum Collective;

// clang-format off
/// coll/tuned of 4.1 and 5.0 (coll_tuned_*_decision.c): numbers that mean the same in both. `chain` is one
/// chain, their pipeline. Algorithms are left out that have two numbers, or that we play otherwise
/// (nonoverlapping takes whatever reduce and bcast choose by themselves).
constexpr Entry of_openmpi[] = {
    {allreduce, "basic_linear", 1, "reduce-broadcast", all_ranks, false, true},
    {allreduce, "recursive_doubling", 3, "recursive-doubling"},
    {allreduce, "ring", 4, "ring"},
    {allreduce, "rabenseifner", 6, "rabenseifner"},
    {broadcast, "basic_linear", 1, "flat", 0, false, true},
    {broadcast, "pipeline", 3, "chain", 0, true, true},
    {broadcast, "split_binary_tree", 4, "split-binary-tree", 0, true},
    {broadcast, "binary_tree", 5, "pipelined-tree", 0, true, true},
    {broadcast, "binomial", 6, "binomial-doubling", 0, false, true},
    {broadcast, "knomial", 7, "knomial", 4, false, true},
    {broadcast, "scatter_allgather", 8, "scatter-allgather-rd"},
    {broadcast, "scatter_allgather_ring", 9, "scatter-allgather-ring"},
    {reduce, "linear", 1, "flat"},
    {reduce, "pipeline", 3, "chain", 0, true},
    {reduce, "binary", 4, "pipelined-tree", 0, true},
    {reduce, "binomial", 5, "knomial", 2},
    {reduce, "rabenseifner", 7, "rabenseifner"},
    {allgather, "bruck", 2, "bruck", 2},
    {allgather, "recursive_doubling", 3, "recursive-doubling"},
    {allgather, "ring", 4, "ring"},
    {allgather, "neighbor", 5, "neighbor-exchange"},
    {reduce_scatter, "recursive_halving", 2, "recursive-halving"},
    {reduce_scatter, "ring", 3, "ring"},
    {reduce_scatter, "butterfly", 4, "butterfly"},
    {alltoall, "linear", 1, "linear", 0, false, true},
    {alltoall, "pairwise", 2, "pairwise"},
    {alltoall, "modified_bruck", 3, "bruck", 2},
    {gather, "basic_linear", 1, "linear"},
    {gather, "binomial", 2, "knomial", 2},
    {scatter, "basic_linear", 1, "linear"},
    {scatter, "binomial", 2, "knomial", 2},
};

/// The C names of MPICH 4 (src/mpi/coll/coll_algorithms.txt).
constexpr Entry of_mpich[] = {
    {allreduce, "MPIR_Allreduce_intra_recursive_doubling", 0, "recursive-doubling", 0, false, true},
    {allreduce, "MPIR_Allreduce_intra_reduce_scatter_allgather", 0, "rabenseifner", 0, false, true},
    {broadcast, "MPIR_Bcast_intra_binomial", 0, "knomial", 2, false, true},
    {broadcast, "MPIR_Bcast_intra_scatter_recursive_doubling_allgather", 0, "scatter-allgather-rd", 0, false, true},
    {broadcast, "MPIR_Bcast_intra_scatter_ring_allgather", 0, "scatter-allgather-ring", 0, false, true},
    {reduce, "MPIR_Reduce_intra_binomial", 0, "knomial", 2, false, true},
    {reduce, "MPIR_Reduce_intra_reduce_scatter_gather", 0, "rabenseifner", 0, false, true},
    {allgather, "MPIR_Allgather_intra_brucks", 0, "bruck", 2, false, true},
    {allgather, "MPIR_Allgather_intra_recursive_doubling", 0, "recursive-doubling", 0, false, true},
    {allgather, "MPIR_Allgather_intra_ring", 0, "ring", 0, false, true},
    {reduce_scatter, "MPIR_Reduce_scatter_intra_recursive_halving", 0, "recursive-halving", 0, false, true},
    {reduce_scatter, "MPIR_Reduce_scatter_intra_pairwise", 0, "pairwise", 0, false, true},
    {alltoall, "MPIR_Alltoall_intra_brucks", 0, "bruck", 2, false, true},
    {alltoall, "MPIR_Alltoall_intra_scattered", 0, "linear", 0, false, true},
    {alltoall, "MPIR_Alltoall_intra_pairwise", 0, "pairwise", 0, false, true},
};

/// UCC's tl/ucp, by name, as numbers differ between versions. Radices are set by variables (write.cpp).
constexpr Entry of_ucc[] = {
    {allreduce, "knomial", 0, "recursive-doubling", 2, false, true},
    {allreduce, "sra_knomial", 1, "rabenseifner", 2, false, true},
    {broadcast, "knomial", 0, "knomial", 4, false, true},
    {broadcast, "sag_knomial", 1, "scatter-allgather-rd", 2, false, true},
    {reduce, "knomial", 0, "knomial", 4, false, true},
    {reduce, "srg", 2, "rabenseifner", 2, false, true},
    {allgather, "knomial", 0, "recursive-doubling", 2, false, true},
    {allgather, "ring", 1, "ring", 0, false, true},
    {allgather, "neighbor", 2, "neighbor-exchange", 0, false, true},
    {allgather, "bruck", 3, "bruck", 2, false, true},
    {alltoall, "pairwise", 0, "pairwise", 0, false, true},
    {alltoall, "bruck", 1, "bruck", 2, false, true},
};

/// The numbers of MVAPICH2 2.3's variables, for algorithms between nodes.
constexpr Entry of_mvapich2[] = {
    {allreduce, "recursive doubling", 1, "recursive-doubling", 0, false, true},
    {allreduce, "reduce-scatter and allgather", 2, "rabenseifner", 0, false, true},
};

constexpr Format table[] = {
    {"nccl", "CSV of NCCL's example tuner plug-in, 2.28.3 and later", "nccl-2.28", {}, write_nccl,
     "NCCL_TUNER_PLUGIN=libnccl-tuner-example.so NCCL_TUNER_CONFIG_FILE=FILE"},
    {"openmpi", "rules of Open MPI's coll/tuned, 4.1 and 5.0", "openmpi-4.1", of_openmpi, write_openmpi,
     "mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename FILE (5.0: and --mca coll ^han)"},
    {"openmpi-json", "rules of Open MPI's coll/tuned as JSON, 6.0 and later", "openmpi-5.0", of_openmpi, write_openmpi_json,
     "mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename FILE --mca coll ^han"},
    {"mpich", "selection JSON of MPICH 4", "mpich", of_mpich, write_mpich, "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=FILE"},
    {"ucc", "tune strings of UCC's tl/ucp", "", of_ucc, write_ucc, 
     "its lines as variables; of a file, UCC_CONFIG_FILE=FILE, UCC cuts lines at 500 characters, older releases at 200"},
    {"mvapich2", "variables of MVAPICH2 2.3", "", of_mvapich2, write_mvapich2, "its lines as variables", true},
};
// clang-format on

}  // namespace

std::span<const Format> formats() {
  return table;
}

const Format& format(std::string_view name) {
  for (const Format& l : table)
    if (l.name == name) return l;
  throw InputError("tune --for '" + std::string(name) +
                   "' is unknown; expected one of: " + text::join(table, ", ", &Format::name));
}

std::vector<Collective> collectives(const Format& format) {
  if (format.entries.empty()) return {allreduce, allgather, reduce_scatter, broadcast, reduce};
  std::vector<Collective> all;
  for (const Entry& e : format.entries)
    if (std::ranges::find(all, e.collective) == all.end()) all.push_back(e.collective);
  return all;
}

}  // namespace collcast::tuner
