// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "replay/source/source.hpp"

namespace collcast {

/// A source in numbers. Times are as recorded; if the source has none, they are 0 or absent.
struct Inspection {
  struct Operation {
    std::string name;
    std::string communicator;  ///< "world", or its number, name and ranks: "3 (8 ranks)"; empty: none
    Bytes size;                ///< of one call: the message of a collective, or a single message
    bool sized = true;
    std::int64_t count = 0;  ///< calls, over the recorded ranks
    std::int64_t timed = 0;  ///< calls with a recorded time
    Seconds total;
    std::optional<Seconds> least, most;  ///< none: of some calls only the mean is known
    std::optional<Seconds> waiting;  ///< for late ranks: time beyond the shortest of a call over the ranks;
                                     ///< none: not all ranks were recorded, or only sums of calls
    bool seldom = false;  ///< at most one in 50 calls of this kind on its communicator has this size, and
                          ///< another size has ten times as many
    bool odd = false;     ///< no multiple of 16 bytes, though nine of ten calls of this kind are
  };
  struct OfRank {
    Rank rank = 0;
    Seconds compute, communication;
    // Only if the source says when calls began; lateness and last also need one clock of all ranks.
    std::optional<Seconds> overlap;    ///< communication with computation under way on another stream
    std::optional<Seconds> lateness;   ///< by how much, in all, it came to collectives after the first rank
    std::optional<std::int64_t> last;  ///< number of collectives to which it came last
  };
  struct Pair {
    Rank from = 0, to = 0;
    std::int64_t messages = 0;
    Bytes bytes;
  };
  Rank ranks = 0;
  Seconds compute;                    ///< over the recorded ranks
  std::vector<Operation> operations;  ///< most time first, then most bytes
  std::vector<OfRank> of_rank;
  std::vector<Pair> pairs;      ///< point-to-point messages, most bytes first; at most 10,000
  std::int64_t more_pairs = 0;  ///< how many more there are
  std::vector<Loss> dropped;    ///< the source's losses, and operations that cannot be played
};

/// Reads the whole source once.
Inspection inspect(const Source& source);

}  // namespace collcast
