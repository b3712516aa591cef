// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <sstream>

#include "algorithms/catalogue.hpp"
#include "libraries/mpi.hpp"
#include "libraries/rules.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

constexpr double rest = std::numeric_limits<double>::infinity();
constexpr Rank more = std::numeric_limits<Rank>::max();

/// The number of Open MPI's algorithm for messages below `bytes`.
struct Below {
  double bytes;
  int algorithm;
};
/// The rows for communicators of fewer than `ranks`.
struct Row {
  Rank ranks;
  std::vector<Below> sizes;
};
/// Open MPI's algorithm, and its name in the catalogue; empty if the catalogue lacks it.
struct Known {
  int number;
  std::string_view theirs, ours;
  int radix = 2;
};
struct Rules {
  Collective collective;
  bool block;  ///< sizes are of one rank's block
  std::vector<Known> known;
  std::vector<Row> rows;
};

// clang-format off
const Rules table[] = {
    {Collective::allreduce, false,
     {{2, "nonoverlapping", "reduce-broadcast"}, {3, "recursive_doubling", "recursive-doubling"}, {4, "ring", "ring"},
      {5, "segmented_ring", "ring"}, {6, "rabenseifner", "rabenseifner"}},
     {{4, {{8, 4}, {4096, 3}, {8192, 4}, {16384, 3}, {65536, 4}, {262144, 5}, {rest, 6}}},
      {8, {{16, 4}, {8192, 3}, {rest, 6}}},
      {16, {{8192, 3}, {rest, 6}}},
      {32, {{64, 5}, {4096, 3}, {rest, 6}}},
      {64, {{128, 5}, {rest, 6}}},
      {128, {{262144, 3}, {rest, 6}}},
      {256, {{131072, 2}, {262144, 3}, {rest, 6}}},
      {512, {{4096, 2}, {rest, 6}}},
      {2048, {{2048, 2}, {16384, 3}, {rest, 6}}},
      {4096, {{2048, 2}, {4096, 5}, {16384, 3}, {rest, 6}}},
      {more, {{2048, 2}, {16384, 5}, {32768, 3}, {rest, 4}}}}},
    {Collective::alltoall, true,
     {{1, "linear", "linear"}, {2, "pairwise", "pairwise"}, {3, "modified_bruck", "bruck"}, {4, "linear_sync", "linear"},
      {5, "two_proc", "pairwise"}},
     {{2, {{rest, 4}}},
      {3, {{2, 2}, {4, 5}, {16, 2}, {64, 5}, {256, 2}, {4096, 5}, {32768, 2}, {262144, 4}, {1048576, 5}, {rest, 2}}},
      {8, {{8192, 4}, {16384, 1}, {65536, 4}, {524288, 1}, {1048576, 2}, {rest, 1}}},
      {16, {{262144, 4}, {rest, 1}}},
      {32, {{4, 4}, {512, 3}, {8192, 4}, {32768, 1}, {262144, 4}, {524288, 1}, {rest, 4}}},
      {64, {{512, 3}, {524288, 1}, {rest, 4}}},
      {128, {{1024, 3}, {2048, 1}, {4096, 4}, {262144, 1}, {rest, 2}}},
      {256, {{1024, 3}, {2048, 4}, {262144, 1}, {rest, 2}}},
      {512, {{1024, 3}, {8192, 4}, {32768, 1}, {rest, 2}}},
      {1024, {{512, 3}, {8192, 4}, {16384, 1}, {131072, 4}, {262144, 1}, {rest, 2}}},
      {2048, {{512, 3}, {1024, 4}, {2048, 1}, {16384, 4}, {262144, 1}, {rest, 4}}},
      {4096, {{1024, 3}, {4096, 4}, {8192, 1}, {131072, 4}, {rest, 1}}},
      {8192, {{2048, 3}, {8192, 4}, {16384, 1}, {32768, 4}, {65536, 1}, {rest, 4}}},
      {more, {{rest, 2}}}}},
    {Collective::broadcast, false,
     {{1, "basic_linear", "flat"}, {2, "chain", "chain"}, {3, "pipeline", "chain"}, {4, "split_binary_tree", "split-binary-tree"},
      {5, "binary_tree", "pipelined-tree"}, {6, "binomial", "binomial-doubling"}, {7, "knomial", "knomial", 4},
      {8, "scatter_allgather", "scatter-allgather-rd"}, {9, "scatter_allgather_ring", "scatter-allgather-ring"}},
     {{4, {{32, 3}, {256, 5}, {512, 3}, {1024, 7}, {32768, 1}, {131072, 5}, {262144, 2}, {524288, 1}, {1048576, 6}, {rest, 5}}},
      {8, {{64, 5}, {128, 6}, {2048, 5}, {8192, 6}, {1048576, 1}, {rest, 2}}},
      {16, {{8, 7}, {64, 5}, {4096, 7}, {16384, 5}, {32768, 6}, {rest, 1}}},
      {32, {{4096, 7}, {1048576, 6}, {rest, 8}}},
      {64, {{2048, 6}, {rest, 7}}},
      {128, {{rest, 7}}},
      {256, {{2, 6}, {16384, 5}, {32768, 1}, {65536, 5}, {rest, 7}}},
      {1024, {{16384, 7}, {32768, 4}, {rest, 7}}},
      {2048, {{524288, 7}, {rest, 8}}},
      {4096, {{262144, 7}, {rest, 8}}},
      {more, {{8192, 7}, {16384, 5}, {rest, 7}}}}},
    {Collective::reduce, false,
     {{1, "linear", "flat"}, {2, "chain", "chain"}, {3, "pipeline", "chain"}, {4, "binary", "pipelined-tree"},
      {5, "binomial", "knomial"}, {6, "in-order_binary", ""}, {7, "rabenseifner", "rabenseifner"}},
     {{4, {{8, 7}, {16, 4}, {32, 3}, {262144, 1}, {524288, 3}, {1048576, 2}, {rest, 3}}},
      {8, {{4096, 4}, {65536, 2}, {262144, 5}, {524288, 1}, {1048576, 5}, {rest, 1}}},
      {16, {{8192, 4}, {rest, 5}}},
      {32, {{4096, 4}, {rest, 5}}},
      {256, {{rest, 5}}},
      {512, {{8192, 5}, {16384, 6}, {rest, 5}}},
      {2048, {{rest, 5}}},
      {4096, {{512, 5}, {1024, 6}, {8192, 5}, {16384, 6}, {rest, 5}}},
      {more, {{16, 5}, {32, 6}, {1024, 5}, {2048, 6}, {8192, 5}, {16384, 6}, {rest, 5}}}}},
    {Collective::reduce_scatter, false,
     {{1, "non-overlapping", "reduce-then-scatter"}, {2, "recursive_halving", "recursive-halving"}, {3, "ring", "ring"},
      {4, "butterfly", "butterfly"}},
     {{4, {{65536, 3}, {131072, 4}, {rest, 3}}},
      {8, {{8, 1}, {262144, 2}, {rest, 3}}},
      {32, {{262144, 2}, {rest, 3}}},
      {64, {{64, 1}, {2048, 2}, {524288, 4}, {rest, 3}}},
      {128, {{256, 1}, {512, 2}, {2048, 4}, {4096, 2}, {rest, 4}}},
      {256, {{256, 1}, {512, 2}, {rest, 4}}},
      {512, {{256, 1}, {1024, 2}, {rest, 4}}},
      {1024, {{512, 1}, {2048, 2}, {8192, 4}, {16384, 2}, {rest, 4}}},
      {2048, {{512, 1}, {4096, 2}, {16384, 4}, {32768, 2}, {rest, 4}}},
      {4096, {{512, 1}, {4096, 2}, {rest, 4}}},
      {8192, {{1024, 1}, {8192, 2}, {rest, 4}}},
      {more, {{rest, 2}}}}},
    {Collective::allgather, true,
     {{2, "bruck", "bruck"}, {3, "recursive_doubling", "recursive-doubling"}, {4, "ring", "ring"},
      {5, "neighbor", "neighbor-exchange"}, {6, "two_proc", "recursive-doubling"}},
     {{2, {{rest, 3}}},
      {3, {{rest, 6}}},
      {32, {{rest, 3}}},
      {64, {{1024, 3}, {65536, 5}, {rest, 4}}},
      {128, {{512, 3}, {65536, 5}, {rest, 4}}},
      {256, {{512, 3}, {131072, 5}, {524288, 4}, {1048576, 5}, {rest, 4}}},
      {512, {{32, 3}, {128, 2}, {1024, 3}, {131072, 5}, {524288, 4}, {1048576, 5}, {rest, 4}}},
      {1024, {{64, 3}, {256, 2}, {2048, 3}, {rest, 5}}},
      {2048, {{4, 3}, {8, 2}, {16, 3}, {32, 2}, {256, 3}, {512, 2}, {4096, 3}, {rest, 5}}},
      {4096, {{32, 2}, {128, 3}, {512, 2}, {4096, 3}, {rest, 5}}},
      {more, {{2, 3}, {8, 2}, {16, 3}, {512, 2}, {4096, 3}, {rest, 5}}}}},
    {Collective::gather, true,
     {{1, "basic_linear", "linear"}, {2, "binomial", "knomial"}, {3, "linear_sync", "linear-sync"}},
     {{4, {{2, 3}, {4, 1}, {32768, 2}, {65536, 1}, {131072, 2}, {rest, 3}}},
      {8, {{1024, 2}, {8192, 1}, {32768, 2}, {262144, 1}, {rest, 3}}},
      {256, {{rest, 2}}},
      {512, {{2048, 2}, {8192, 1}, {rest, 2}}},
      {more, {{rest, 2}}}}},
    {Collective::scatter, true,
     {{1, "basic_linear", "linear"}, {2, "binomial", "knomial"}, {3, "linear_nb", "linear"}},
     {{4, {{2, 3}, {131072, 1}, {262144, 3}, {rest, 1}}},
      {8, {{2048, 2}, {4096, 1}, {8192, 2}, {32768, 1}, {1048576, 3}, {rest, 1}}},
      {16, {{16384, 2}, {1048576, 3}, {rest, 1}}},
      {32, {{16384, 2}, {32768, 1}, {rest, 3}}},
      {64, {{512, 2}, {8192, 3}, {16384, 2}, {rest, 3}}},
      {more, {{512, 2}, {rest, 3}}}}},
    {Collective::alltoallv, false,
     {{1, "basic_linear", "linear"}, {2, "pairwise", "pairwise"}},
     {{4, {{rest, 2}}}, {64, {{rest, 1}}}, {128, {{rest, 2}}}, {256, {{rest, 1}}}, {1024, {{rest, 2}}}, {8192, {{rest, 1}}},
      {more, {{rest, 2}}}}},
    {Collective::barrier, false,
     {{1, "linear", "linear"}, {3, "recursive_doubling", "recursive-doubling"}, {4, "bruck", "dissemination"}, {6, "tree", "tree"}},
     {{4, {{rest, 3}}}, {8, {{rest, 1}}}, {64, {{rest, 3}}}, {256, {{rest, 4}}}, {512, {{rest, 6}}}, {1024, {{rest, 4}}},
      {4096, {{rest, 6}}}, {more, {{rest, 4}}}}},
};

/// The rows for 4,096 ranks and more in 5.0, where they differ: from the copy of BullSequana
/// (BullSequana/OpenMPI5 c3318e2).
struct Later {
  Collective collective;
  std::vector<Below> sizes;
};
const Later since_5_0[] = {
    {Collective::allreduce, {{2048, 2}, {16384, 5}, {32768, 3}, {rest, 6}}},
    {Collective::alltoall, {{2048, 3}, {8192, 4}, {16384, 1}, {32768, 4}, {65536, 1}, {rest, 4}}},
    {Collective::broadcast, {{8192, 7}, {16384, 5}, {262144, 7}, {rest, 8}}},
    {Collective::reduce_scatter, {{1024, 1}, {8192, 2}, {rest, 4}}},
    {Collective::alltoallv, {{rest, 1}}},
};

/// What replaces an algorithm that does not support this number of ranks: Open MPI's fallback. In broadcast,
/// whose scatter and recursive doubling Open MPI plays on any number, it is an algorithm that sends as many
/// bytes.
struct Instead {
  Collective collective;
  std::string_view first, then;
};
constexpr Instead instead[] = {
    {Collective::allgather, "recursive-doubling", "bruck"},
    {Collective::allgather, "neighbor-exchange", "ring"},
    {Collective::broadcast, "scatter-allgather-rd", "scatter-allgather-ring"},
};
// clang-format on

/// What Open MPI plays instead of an algorithm if there are fewer elements than ranks, or fewer than the
/// largest power of two up to the ranks (ompi/mca/coll/base, coll_base_allreduce.c and coll_base_reduce.c).
struct Scarce {
  Collective collective;
  std::string_view first;
  bool power_of_two;
  std::string_view theirs, then;
};
constexpr Scarce scarce[] = {
    {Collective::allreduce, "ring", false, "recursive_doubling, as there are fewer elements than ranks",
     "recursive-doubling"},
    {Collective::reduce, "rabenseifner", true, "linear, as there are too few elements", "flat"},
};

/// Algorithms that start their sends and wait for them later (MPI_Isend). All others send one message after
/// the other (MPI_Send): ompi/mca/coll/base of 4.0 and 4.1.
struct Started {
  Collective collective;
  std::string_view ours;
};
constexpr Started started[] = {
    {Collective::broadcast, "flat"},
    {Collective::broadcast, "chain"},
    {Collective::broadcast, "pipelined-tree"},
    {Collective::broadcast, "knomial"},
    {Collective::alltoall, "linear"},
    {Collective::alltoallv, "linear"},
    {Collective::broadcast, "binomial-doubling"},
};

const Rules& rules(std::string_view release, Collective collective) {
  for (const Rules& r : table)
    if (r.collective == collective) return r;
  throw no_rule(release, collective, openmpi_4_1_ruled());
}

int number(const std::vector<Below>& sizes, double bytes) {
  for (const Below& b : sizes)
    if (bytes < b.bytes || b.bytes == rest) return b.algorithm;
  return 0;
}
int number(const Rules& r, Rank ranks, double bytes) {
  for (const Row& row : r.rows)
    if (ranks < row.ranks || row.ranks == more) return number(row.sizes, bytes);
  return 0;
}
int number_in_5_0(const Rules& r, Rank ranks, double bytes) {
  if (ranks >= 4096)
    for (const Later& l : since_5_0)
      if (l.collective == r.collective) return number(l.sizes, bytes);
  return number(r, ranks, bytes);
}

const Known& known(const Rules& r, int number) {
  const auto k =
      std::find_if(r.known.begin(), r.known.end(), [=](const Known& o) { return o.number == number; });
  assert(k != r.known.end());
  return *k;
}

std::string_view serving(Collective collective, std::string_view ours, Rank ranks) {
  if (algorithm(collective, ours).supports(ranks)) return ours;
  for (const Instead& i : instead)
    if (i.collective == collective && i.first == ours) return i.then;
  return {};
}

bool is_scarce(const Scarce& s, const Call& call, const Situation& situation) {
  const Rank least = s.power_of_two ? power(2, log2_floor(call.ranks)) : call.ranks;
  return std::floor(call.message / situation.element) < least;
}

Pick tuned_pick(std::string_view release, decltype(number_in_5_0) number_of, Collective collective,
                const Call& call, const Situation& situation) {
  const Rules& r = rules(release, collective);
  const double bytes = r.block ? call.message.value / call.ranks : call.message.value;
  const Known& k = known(r, number_of(r, call.ranks, bytes));
  OpenMpiChoice choice{
      .theirs = k.theirs, .ours = k.ours, .bytes = bytes, .block = r.block, .radix = k.radix};
  for (const Scarce& s : scarce)
    if (s.collective == collective && s.first == k.ours && is_scarce(s, call, situation))
      choice.theirs = s.theirs, choice.ours = s.then;
  return openmpi_play(release, collective, call, choice);
}

}  // namespace

std::vector<Collective> openmpi_4_1_ruled() {
  return collectives_of(table);
}

Pick openmpi_4_1_pick(Collective collective, const Call& call, const Situation& situation) {
  return tuned_pick("openmpi-4.1", number, collective, call, situation);
}

Pick openmpi_5_0_pick(Collective collective, const Call& call, const Situation& situation) {
  return tuned_pick("openmpi-5.0", number_in_5_0, collective, call, situation);
}

Pick openmpi_play(std::string_view release, Collective collective, const Call& call, const OpenMpiChoice& c) {
  const std::string_view ours = c.ours.empty() ? c.ours : serving(collective, c.ours, call.ranks);
  std::ostringstream why;
  why << release << ": " << text::plain(c.bytes) << " B" << (c.block ? " per block" : "") << " on "
      << call.ranks << " ranks: " << c.theirs;
  if (ours.empty())
    throw NoRule(why.str() + ", which the catalogue does not have for " +
                 std::string(definition(collective).name) + " on so many ranks");
  const bool blocking = std::ranges::none_of(
      started, [&](const Started& s) { return s.collective == collective && s.ours == ours; });
  // Data in GPU memory are reduced in host memory (docs/release-notes/mpi-collectives.rst).
  const bool in_host = definition(collective).reduces && call.message > Bytes();
  Pick pick{.algorithm = ours, .radix = c.radix, .in_host = in_host, .blocking = blocking, .why = why.str()};
  if (algorithm(collective, ours).segmented) pick.segment = c.segment > Bytes(0) ? c.segment : call.message;
  return pick;
}

}  // namespace collcast
