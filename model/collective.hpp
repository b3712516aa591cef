// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "model/network.hpp"

namespace collcast {

enum class Collective : std::uint8_t {
  allreduce,
  reduce_scatter,
  allgather,
  broadcast,
  reduce,
  gather,
  scatter,
  alltoall,
  scan,
  exscan,
  barrier,
  sendrecv,
  alltoallv,
  allgatherv,
  reduce_scatterv,
  gatherv,
  scatterv,
  halo_1d,
  halo_2d,
  halo_3d,
  multi_broadcast,
};

/// The content of a block in which exactly the values of ranks first to last are combined.
struct Contributions {
  Rank first = 0, last = 0;
};

/// Blocks that a rank holds, each with the contributions of the same ranks.
struct Holding {
  Chunk chunk;
  Contributions ranks;
};

/// The definition of a collective: a row of the table `definitions`.
///
/// The message size n is that of nccl-tests: the whole array for allgather, reduce-scatter, gather and
/// scatter; what one rank sends in all for alltoall (on average for alltoallv), sendrecv and halo; what all
/// sources send together for multi-broadcast, whose sources are ranks 0 to root.
struct Definition {
  Collective collective;
  std::string_view name;
  bool rooted;
  bool reduces;
  bool repeats_allowed;     ///< a contribution may arrive more than once (barrier)
  Collective plain;         ///< the collective with equal blocks, as allgather for allgatherv, or itself
  Block (*whole)(Rank p);   ///< all blocks together are `whole(p)` n bytes
  Block (*blocks)(Rank p);  ///< the number of blocks is a multiple of `blocks(p)`
  double (*bus_factor)(double p);  ///< busbw = algbw * bus_factor, as nccl-tests defines it
  std::vector<Holding> (*initially)(Rank r, Rank p, Block blocks, Rank root);
  std::vector<Holding> (*finally)(Rank r, Rank p, Block blocks, Rank root);

  /// Whether blocks may differ: the call gives the size for each rank or pair of ranks.
  bool counted() const { return plain != collective; }
};

/// The message is empty, and it is no barrier, in which ranks meet all the same.
constexpr bool does_nothing(Collective collective, Bytes message) {
  return message == Bytes() && collective != Collective::barrier;
}

const Definition& definition(Collective collective);
const std::vector<Definition>& definitions();
/// The same collective with equal blocks: allgather for allgatherv; others stand for themselves.
inline Collective plain(Collective collective) {
  return definition(collective).plain;
}
/// Whether ranks end with copies of data that others had or summed up. In a reduce and a reduce-scatter they
/// only receive what they add.
constexpr bool spreads_copies(Collective collective) {
  return collective != Collective::reduce && collective != Collective::reduce_scatter;
}
/// The definition of this name. Throws InputError, which suggests the nearest name.
const Definition& definition(std::string_view name);

/// "allreduce, broadcast"; "collective" if there are more than three.
std::string names(const std::vector<Collective>& collectives);

/// p ranks as a periodic grid of 1 to 3 dimensions, as nearly cubic as the divisors of p allow. The last
/// coordinate varies fastest.
struct Grid {
  std::array<Rank, 3> size = {1, 1, 1};
  int dimensions = 1;

  Grid(Rank ranks, int dimensions);
  /// Faces 2i and 2i + 1 of a rank are those towards lower and higher coordinates of dimension i.
  int faces() const { return 2 * dimensions; }
  Rank neighbour(Rank rank, int face) const;
};

/// A lower bound of the time of any schedule of the collective on a single-ported, full-duplex machine: the
/// largest of its latency, bandwidth and computation bounds. Chan et al., CCPE 19 (2007), table 1.
Seconds lower_bound(Collective collective, Rank ranks, Bytes message, const AlphaBetaGamma& machine);

}  // namespace collcast
