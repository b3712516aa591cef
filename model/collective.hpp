// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
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
};

/// Contributions first..last (ranks): what a block holds when exactly these ranks' values have been combined
/// in it.
struct Contributions {
  Rank first = 0, last = 0;
};

/// Blocks that a rank holds, each with the contributions of `ranks`.
struct Holding {
  Chunk chunk;
  Contributions ranks;
};

/// What a collective means, in one row.
///
/// `message_bytes` (n) is what nccl-tests means by it: the whole array for allgather, reduce-scatter, gather
/// and scatter; what one rank sends in all for alltoall and sendrecv.
struct Definition {
  Collective collective;
  std::string_view name;
  bool rooted;
  bool reduces;
  bool repeats_allowed;            ///< a contribution may arrive more than once (barrier)
  Block (*whole)(Rank p);          ///< the blocks name `whole(p)` messages' worth of bytes together
  Block (*blocks)(Rank p);         ///< the number of blocks is a multiple of this
  double (*bus_factor)(double p);  ///< busbw = algbw * bus_factor, as nccl-tests defines it
  std::vector<Holding> (*initially)(Rank r, Rank p, Block blocks, Rank root);
  std::vector<Holding> (*finally)(Rank r, Rank p, Block blocks, Rank root);
};

const Definition& definition(Collective collective);
const std::vector<Definition>& definitions();
/// Throws InputError with the nearest name.
const Definition& definition(std::string_view name);

/// The least time that any schedule of the collective takes on a single-ported, full-duplex machine:
/// the largest of its latency, bandwidth and computation bounds. Chan et al., CCPE 19 (2007), table 1.
Seconds lower_bound(Collective collective, Rank ranks, Bytes message, const AlphaBetaGamma& machine);

/// Levenshtein distance; for "did you mean".
std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace collcast
