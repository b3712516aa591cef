// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "replay/source/source.hpp"

namespace collcast {

/// A source in numbers. Times are recorded ones; if the source has none, they are 0 or absent.
struct Inspection {
  struct Operation {
    std::string name;
    std::string communicator;  ///< "world", or its number, name and ranks: "3 (8 ranks)"; empty: of none
    Bytes size;                ///< of one call: a collective's message, or a message
    bool sized = true;
    std::int64_t count = 0;  ///< calls, over the recorded ranks
    std::int64_t timed = 0;  ///< how many of them have a recorded time
    Seconds total;
    std::optional<Seconds> least, most;  ///< none: of some of them only the mean is known
    std::optional<Seconds>
        waiting;          ///< for late ranks: the time beyond the shortest of a call over the ranks
    bool seldom = false;  ///< at most one in 50 calls of this kind on its communicator has this size, and
                          ///< another size has ten times as many
    bool odd = false;     ///< it is no multiple of 16 bytes, as nine of ten calls of this kind there are
  };
  struct OfRank {
    Rank rank = 0;
    Seconds compute, communication;
    // If the source says when its calls began, and beyond the overlap by one clock of all ranks:
    std::optional<Seconds> overlap;    ///< with computation under way on another stream
    std::optional<Seconds> lateness;   ///< how much later than the first rank it came to collectives, in all
    std::optional<std::int64_t> last;  ///< to how many collectives it came last
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

/// Reads all of the source once.
Inspection inspect(const Source& source);

}  // namespace collcast
