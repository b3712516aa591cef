// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/collective.hpp"
#include "model/compose.hpp"

namespace collcast {

/// One call of a collective: what an algorithm needs to know to write its schedule.
struct Call {
  Rank ranks = 1;
  Rank root = 0;
  int radix = 2;
  Bytes message;       ///< n, as nccl-tests counts it
  Block segments = 1;  ///< K: pipelined algorithms cut the message into K equal segments
};

/// A row of the catalogue: an algorithm's schedule beside its formula.
struct Algorithm {
  Collective collective;
  std::string_view name;
  std::string_view description;
  std::string_view ranks;  ///< which rank counts, in words: "any", "power of two"
  bool (*supports)(Rank);
  bool radix;      ///< takes --radix
  bool segmented;  ///< takes --segment
  std::string_view
      formula;  ///< a = alpha, b = beta, g = gamma, n = message, p = ranks, k = radix, K = segments
  bool exact;   ///< formula = critical path; otherwise `bound` times it at most
  std::string_view source;
  Schedule (*schedule)(const Call&);
  Seconds (*time)(const Call&, const AlphaBetaGamma&);
};

inline bool any_ranks(Rank) {
  return true;
}
inline bool power_of_two(Rank p) {
  return (p & (p - 1)) == 0;
}

/// floor(log2 p).
constexpr int log2_floor(Rank p) {
  int log = 0;
  while (p >>= 1) ++log;
  return log;
}
/// ceil(log_k p).
constexpr int log_ceil(Rank p, Rank k = 2) {
  int log = 0;
  for (std::int64_t reach = 1; reach < p; reach *= k) ++log;
  return log;
}
constexpr Rank modulo(std::int64_t r, Rank p) {
  return static_cast<Rank>(((r % p) + p) % p);
}

/// Rank 0's schedule with the ranks rotated so that `root` plays its part.
Schedule rooted(const Schedule& from_rank_0, Rank root);

}  // namespace collcast
