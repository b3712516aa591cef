// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <sstream>

#include "algorithms/catalogue.hpp"
#include "libraries/mpi.hpp"
#include "libraries/mvapich/settings.hpp"
#include "libraries/rules.hpp"
#include "support/text.hpp"

namespace collcast {
namespace mvapich {
namespace {

/// What a rule compares: the whole message, or one rank's block.
enum class Compared : std::uint8_t { whole, block };
/// Whether MVAPICH2 goes through a leader of each node.
enum class Levels : std::uint8_t { one, two };

constexpr Rank any_number = std::numeric_limits<Rank>::max();
constexpr double all_sizes = std::numeric_limits<double>::infinity();

/// The first row of a collective that matches decides. It matches calls with this number of ranks on a node
/// (0: any), and with at most this many ranks and bytes. Rows are grouped by ranks, and within a group by
/// size.
struct MvapichRule {
  Collective collective;
  Rank on_a_node;
  Rank ranks;
  double to;
  Compared compared;
  Levels levels;
  std::string_view theirs, ours;
  int radix = 2;
  double segment = 0;
};

using enum Collective;
using enum Compared;

/// MVAPICH2 2.3, src/mpi/coll/*_tuning.c: the tables for processors and adapters that it does not recognise,
/// and with MV2_USE_INDEXED_TUNING=0; reduce_tuning.c is of 2.2b. Allgather has tables for 1, 2 and 8 ranks
/// on a node; other numbers use the one for 2.
// clang-format off
constexpr MvapichRule mvapich_rules[] = {
    {allreduce, 0, 16, 1024, whole, Levels::two, "recursive doubling", "recursive-doubling"},
    {allreduce, 0, 16, all_sizes, whole, Levels::one, "reduce-scatter and allgather", "rabenseifner"},
    {allreduce, 0, 128, 2048, whole, Levels::two, "recursive doubling", "recursive-doubling"},
    {allreduce, 0, 128, all_sizes, whole, Levels::one, "reduce-scatter and allgather", "rabenseifner"},
    {allreduce, 0, any_number, 4096, whole, Levels::two, "recursive doubling", "recursive-doubling"},
    {allreduce, 0, any_number, all_sizes, whole, Levels::one, "reduce-scatter and allgather", "rabenseifner"},

    {broadcast, 0, 8, all_sizes, whole, Levels::two, "binomial", "knomial"},
    {broadcast, 0, 16, 8192, whole, Levels::two, "binomial", "knomial"},
    {broadcast, 0, 16, all_sizes, whole, Levels::two, "pipelined", "knomial-pipeline", 4, 8192},
    {broadcast, 0, 32, 8192, whole, Levels::two, "k-nomial", "knomial", 4},
    {broadcast, 0, 32, 524288, whole, Levels::two, "pipelined", "knomial-pipeline", 4, 8192},
    {broadcast, 0, 32, all_sizes, whole, Levels::two, "scatter and ring allgather", "scatter-allgather-ring"},
    {broadcast, 0, 64, 2048, whole, Levels::two, "k-nomial", "knomial", 4},
    {broadcast, 0, 64, 8192, whole, Levels::two, "binomial", "knomial"},
    {broadcast, 0, 64, 262144, whole, Levels::two, "pipelined", "knomial-pipeline", 4, 8192},
    {broadcast, 0, 64, all_sizes, whole, Levels::one, "scatter and ring allgather", "scatter-allgather-ring"},
    {broadcast, 0, 128, 8192, whole, Levels::two, "k-nomial", "knomial", 4},
    {broadcast, 0, 128, 131072, whole, Levels::two, "pipelined", "knomial-pipeline", 4, 8192},
    {broadcast, 0, 128, 262144, whole, Levels::two, "scatter and ring allgather", "scatter-allgather-ring"},
    {broadcast, 0, 128, all_sizes, whole, Levels::one, "scatter and ring allgather", "scatter-allgather-ring"},
    {broadcast, 0, 256, 2048, whole, Levels::two, "k-nomial", "knomial", 4},
    {broadcast, 0, 256, 8192, whole, Levels::two, "binomial", "knomial"},
    {broadcast, 0, 256, 131072, whole, Levels::two, "pipelined", "knomial-pipeline", 4, 8192},
    {broadcast, 0, 256, 524288, whole, Levels::two, "scatter and ring allgather", "scatter-allgather-ring"},
    {broadcast, 0, 256, all_sizes, whole, Levels::one, "scatter and ring allgather", "scatter-allgather-ring"},
    {broadcast, 0, any_number, 8192, whole, Levels::two, "k-nomial", "knomial", 4},
    {broadcast, 0, any_number, 262144, whole, Levels::two, "pipelined", "knomial-pipeline", 4, 8192},
    {broadcast, 0, any_number, all_sizes, whole, Levels::two, "scatter and ring allgather", "scatter-allgather-ring"},

    {reduce, 0, 8, 524288, whole, Levels::two, "k-nomial", "knomial", 4},
    {reduce, 0, 8, 1048576, whole, Levels::one, "binomial", "knomial"},
    {reduce, 0, 8, all_sizes, whole, Levels::one, "reduce-scatter and gather", "rabenseifner"},
    {reduce, 0, 16, 1048576, whole, Levels::two, "k-nomial", "knomial", 4},
    {reduce, 0, 16, all_sizes, whole, Levels::one, "reduce-scatter and gather", "rabenseifner"},
    {reduce, 0, 32, 8192, whole, Levels::two, "k-nomial", "knomial", 4},
    {reduce, 0, 32, 131072, whole, Levels::two, "binomial", "knomial"},
    {reduce, 0, 32, 1048576, whole, Levels::two, "reduce-scatter and gather", "rabenseifner"},
    {reduce, 0, 32, all_sizes, whole, Levels::one, "reduce-scatter and gather", "rabenseifner"},
    {reduce, 0, 64, 4096, whole, Levels::two, "k-nomial", "knomial", 4},
    {reduce, 0, 64, 16384, whole, Levels::one, "k-nomial", "knomial", 4},
    {reduce, 0, 64, 131072, whole, Levels::two, "binomial", "knomial"},
    {reduce, 0, 64, 1048576, whole, Levels::two, "reduce-scatter and gather", "rabenseifner"},
    {reduce, 0, 64, all_sizes, whole, Levels::one, "reduce-scatter and gather", "rabenseifner"},
    {reduce, 0, any_number, 4096, whole, Levels::two, "k-nomial", "knomial", 4},
    {reduce, 0, any_number, 16384, whole, Levels::one, "k-nomial", "knomial", 4},
    {reduce, 0, any_number, 1048576, whole, Levels::two, "binomial", "knomial"},
    {reduce, 0, any_number, all_sizes, whole, Levels::one, "reduce-scatter and gather", "rabenseifner"},

    {reduce_scatter, 0, 8, 256, whole, Levels::one, "reduce, then scatter", "reduce-then-scatter"},
    {reduce_scatter, 0, 8, 16384, whole, Levels::one, "recursive halving", "recursive-halving"},
    {reduce_scatter, 0, 8, 65536, whole, Levels::one, "pairwise", "pairwise"},
    {reduce_scatter, 0, 8, all_sizes, whole, Levels::two, "ring", "ring"},
    {reduce_scatter, 0, 16, 64, whole, Levels::one, "reduce, then scatter", "reduce-then-scatter"},
    {reduce_scatter, 0, 16, 65536, whole, Levels::one, "recursive halving", "recursive-halving"},
    {reduce_scatter, 0, 16, all_sizes, whole, Levels::two, "ring", "ring"},
    {reduce_scatter, 0, 32, 64, whole, Levels::one, "reduce, then scatter", "reduce-then-scatter"},
    {reduce_scatter, 0, 32, 131072, whole, Levels::one, "recursive halving", "recursive-halving"},
    {reduce_scatter, 0, 32, all_sizes, whole, Levels::two, "ring", "ring"},
    {reduce_scatter, 0, 64, 1024, whole, Levels::one, "reduce, then scatter", "reduce-then-scatter"},
    {reduce_scatter, 0, 64, 262144, whole, Levels::one, "recursive halving", "recursive-halving"},
    {reduce_scatter, 0, 64, all_sizes, whole, Levels::two, "ring", "ring"},
    {reduce_scatter, 0, 256, 128, whole, Levels::one, "reduce, then scatter", "reduce-then-scatter"},
    {reduce_scatter, 0, 256, 65536, whole, Levels::one, "recursive halving", "recursive-halving"},
    {reduce_scatter, 0, 256, all_sizes, whole, Levels::two, "ring", "ring"},
    {reduce_scatter, 0, any_number, 256, whole, Levels::one, "reduce, then scatter", "reduce-then-scatter"},
    {reduce_scatter, 0, any_number, 65536, whole, Levels::one, "recursive halving", "recursive-halving"},
    {reduce_scatter, 0, any_number, all_sizes, whole, Levels::two, "ring", "ring"},

    {allgather, 1, 16, 524288, block, Levels::one, "recursive doubling", "recursive-doubling"},
    {allgather, 1, 16, all_sizes, block, Levels::one, "ring", "ring"},
    {allgather, 1, 32, 131072, block, Levels::one, "recursive doubling", "recursive-doubling"},
    {allgather, 1, 32, all_sizes, block, Levels::one, "ring", "ring"},
    {allgather, 1, any_number, all_sizes, block, Levels::one, "recursive doubling", "recursive-doubling"},
    {allgather, 8, any_number, 1024, block, Levels::one, "recursive doubling", "recursive-doubling"},
    {allgather, 8, any_number, all_sizes, block, Levels::one, "ring", "ring"},
    {allgather, 0, 16, 8192, block, Levels::one, "recursive doubling", "recursive-doubling"},
    {allgather, 0, 16, 65536, block, Levels::one, "ring", "ring"},
    {allgather, 0, 16, 262144, block, Levels::two, "ring", "ring"},
    {allgather, 0, 16, all_sizes, block, Levels::one, "ring", "ring"},
    {allgather, 0, 32, 4, block, Levels::two, "recursive doubling", "recursive-doubling"},
    {allgather, 0, 32, 4096, block, Levels::one, "recursive doubling", "recursive-doubling"},
    {allgather, 0, 32, 262144, block, Levels::two, "recursive doubling", "recursive-doubling"},
    {allgather, 0, 32, all_sizes, block, Levels::one, "ring", "ring"},
    {allgather, 0, 64, 4, block, Levels::two, "recursive doubling", "recursive-doubling"},
    {allgather, 0, 64, 8192, block, Levels::one, "recursive doubling", "recursive-doubling"},
    {allgather, 0, 64, all_sizes, block, Levels::one, "ring", "ring"},
    {allgather, 0, any_number, 4096, block, Levels::one, "recursive doubling", "recursive-doubling"},
    {allgather, 0, any_number, 524288, block, Levels::two, "recursive doubling", "recursive-doubling"},
    {allgather, 0, any_number, all_sizes, block, Levels::one, "ring", "ring"},

    {alltoall, 0, 8, all_sizes, block, Levels::one, "scattered destinations", "linear"},
    {alltoall, 0, 32, 2048, block, Levels::one, "Bruck", "bruck"},
    {alltoall, 0, 32, all_sizes, block, Levels::one, "scattered destinations", "linear"},
    {alltoall, 0, 64, 2048, block, Levels::one, "Bruck", "bruck"},
    {alltoall, 0, 64, 8192, block, Levels::one, "scattered destinations", "linear"},
    {alltoall, 0, 64, all_sizes, block, Levels::one, "pairwise", "pairwise"},
    {alltoall, 0, 128, 1024, block, Levels::one, "Bruck", "bruck"},
    {alltoall, 0, 128, 4096, block, Levels::one, "scattered destinations", "linear"},
    {alltoall, 0, 128, all_sizes, block, Levels::one, "pairwise", "pairwise"},
    {alltoall, 0, 256, 2048, block, Levels::one, "Bruck", "bruck"},
    {alltoall, 0, 256, all_sizes, block, Levels::one, "pairwise", "pairwise"},
    {alltoall, 0, any_number, 1024, block, Levels::one, "Bruck", "bruck"},
    {alltoall, 0, any_number, all_sizes, block, Levels::one, "pairwise", "pairwise"},
};
// clang-format on

const MvapichRule& rule_of(std::string_view policy, Collective collective, const Call& call,
                           const Situation& s) {
  const Rank on_a_node = call.ranks % s.nodes == 0 ? call.ranks / s.nodes : 0;
  for (const MvapichRule& r : mvapich_rules) {
    const Bytes size = r.compared == block ? call.message / call.ranks : call.message;
    if (r.collective == collective && (r.on_a_node == 0 || r.on_a_node == on_a_node) &&
        call.ranks <= r.ranks && size.value <= r.to)
      return r;
  }
  throw no_rule(policy, collective, collectives_of(mvapich_rules));
}

/// The algorithm of the catalogue that plays the rule. Two levels are a leader of each node and k-nomial
/// trees, if the catalogue has them.
std::string_view played(const MvapichRule& r, const Call& call, bool two_levels) {
  const bool whole_nodes = call.ranks_per_node > 1 && call.ranks % call.ranks_per_node == 0;
  if (two_levels && whole_nodes &&
      (r.collective == allreduce || (r.collective == broadcast && r.ours == "knomial")))
    return "hierarchical-leader";
  const bool any = r.collective != allgather || r.ours != "recursive-doubling" || power_of_two(call.ranks);
  return any ? r.ours : "bruck";
}

Pick by_rules(std::string_view policy, Collective collective, const Call& call, const Situation& s) {
  const MvapichRule& r = rule_of(policy, collective, call, s);
  const bool two_levels = r.levels == Levels::two && s.nodes < call.ranks;
  std::ostringstream why;
  why << policy << ": " << text::plain((r.compared == block ? call.message / call.ranks : call.message).value)
      << " B" << (r.compared == block ? " per block" : "") << " on " << call.ranks << " ranks";
  if (r.to < all_sizes) why << ", up to " << text::plain(r.to) << " B";
  why << ": " << r.theirs << (two_levels ? " on two levels" : "");
  Pick pick{.algorithm = played(r, call, two_levels), .radix = r.radix};
  if (r.segment > 0) pick.segment = Bytes(r.segment);
  why << ", played as " << pick.algorithm;
  pick.why = why.str();
  return pick;
}

/// Whether the call is played in host memory. In allgather and alltoall the size of a rank's block decides.
bool in_host(const Settings& s, Collective collective, const Call& call) {
  const Bytes block = call.message / call.ranks;
  if (s.cuda_use_naive == 0) return false;
  if (collective == allgather) return block <= Bytes(s.cuda_allgather_naive_limit);
  if (collective == alltoall) return block <= Bytes(s.cuda_alltoall_naive_limit);
  return call.message <= Bytes(s.cuda_bcast_naive_limit);
}

}  // namespace

/// MVAPICH2 multicasts to a leader of each node; the catalogue's algorithm multicasts to all ranks.
Pick pick(const Settings& settings, Collective collective, const Call& call, const Situation& s) {
  const bool multicasts = collective == broadcast && settings.use_mcast > 0 && call.message >= Bytes(1) &&
                          s.nodes >= settings.mcast_num_nodes_threshold &&
                          call.message <= Bytes(settings.mcast_bcast_max_msg);
  if (!multicasts) {
    Pick p = by_rules("mvapich2-gdr", collective, call, s);
    p.in_host = in_host(settings, collective, call);
    p.why += (p.in_host ? " in host memory" : "") +
             std::string("; its own tables are not published, these are those of MVAPICH2 2.3");
    return p;
  }
  std::ostringstream why;
  why << "mvapich2-gdr: " << text::plain(call.message.value) << " B on " << s.nodes << " nodes, of "
      << settings.mcast_num_nodes_threshold << " and more up to " << text::plain(settings.mcast_bcast_max_msg)
      << " B: multicast";
  if (settings.gpudirect_mcast_pipeline == 0) return {.algorithm = "multicast", .why = why.str()};
  return {.algorithm = "multicast-streaming",
          .segment = Bytes(settings.cuda_block_size),
          .why = why.str() + ", block by block"};
}

}  // namespace mvapich

Pick mvapich2_2_3_pick(Collective collective, const Call& call, const Situation& situation) {
  return mvapich::by_rules("mvapich2-2.3", collective, call, situation);
}
std::vector<Collective> mvapich2_2_3_ruled() {
  return collectives_of(mvapich::mvapich_rules);
}

}  // namespace collcast
