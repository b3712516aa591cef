// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/collective.hpp"
#include "model/compose.hpp"

namespace collcast {

/// One call of a collective: the parameters from which an algorithm writes its schedule.
struct Call {
  Rank ranks = 1;
  Rank root = 0;
  int radix = 2;
  Bytes message = {};  ///< n, as nccl-tests counts it
  Block segments = 1;  ///< K: pipelined algorithms cut the message into K equal segments
  Bytes buffer = Bytes(std::numeric_limits<double>::infinity());  ///< the largest aggregated message
  int channels = 1;                                               ///< rings side by side
  Rank ranks_per_node = 1;  ///< q: ranks 0..q-1 are on one node, the next q on the next, ...
  /// For v-collectives: bytes of each rank's block, or of each pair's, row by row; empty: all equal.
  std::vector<Bytes> counts = {};
};

inline bool any_ranks(Rank) {
  return true;
}

/// The number of segments that is fastest for messages of this size.
struct BestSegments {
  Bytes message;
  Block segments;
  bool operator==(const BestSegments&) const = default;
};

/// An algorithm: its schedule beside its formula. It is a row of the catalogue, comes from a file, or is a
/// program's own; only the catalogue's have a formula.
struct Algorithm {
  Collective collective;
  std::string name;
  std::string_view description = {};
  std::string ranks = "any";  ///< which rank counts, in words: "power of two"
  std::function<bool(Rank)> supports = any_ranks;
  bool radix = false;           ///< takes --radix
  bool segmented = false;       ///< takes --segment
  bool buffer = false;          ///< takes --buffer
  bool channels = false;        ///< takes --channels
  bool ranks_per_node = false;  ///< takes --ranks-per-node, which divides the ranks
  /// a = alpha, b = beta, g = gamma, n = message, p = ranks, k = radix, K = segments, c = channels, q = ranks
  /// per node, N = p/q nodes, B = blocks of n/p in a buffer.
  std::string_view formula = {};
  bool exact = true;                      ///< formula = critical path
  double (*bound)(Rank ranks) = nullptr;  ///< if not exact: formula/bound <= critical path <= formula
  std::string_view source = {};
  std::function<Schedule(const Call&)> schedule = {};
  std::function<Seconds(const Call&, const AlphaBetaGamma&)> time =
      {};                                          ///< the formula; empty: none is known
  std::optional<BestSegments> best_segments = {};  ///< as the maker of the algorithm found; empty: not known
};

/// "allreduce ring".
std::string full_name(const Algorithm& algorithm);

/// The parameters that the algorithm takes besides ranks, root and message, as the command line names them.
std::vector<std::string_view> parameters(const Algorithm& algorithm);

/// The default segment of pipelined algorithms.
inline constexpr Bytes usual_segment = Bytes(65536);

/// The limit of algorithms that have all p^2 messages in one step.
inline bool up_to_4096(Rank p) {
  return p <= 4096;
}
/// The limit of algorithms that are meant for the GPUs of a node. Beyond it they would slow down every search
/// for the fastest algorithm.
inline bool up_to_1024(Rank p) {
  return p <= 1024;
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
/// floor(log_k p).
constexpr int log_floor(Rank p, Rank k) {
  int log = 0;
  while ((p /= k) > 0) ++log;
  return log;
}
/// ceil(log_k p).
constexpr int log_ceil(Rank p, Rank k = 2) {
  int log = 0;
  for (std::int64_t reach = 1; reach < p; reach *= k) ++log;
  return log;
}
/// k^e.
constexpr std::int64_t power(std::int64_t k, std::int64_t e) {
  std::int64_t result = 1;
  while (e-- > 0) result *= k;
  return result;
}
constexpr Rank modulo(std::int64_t r, Rank p) {
  return static_cast<Rank>(((r % p) + p) % p);
}

/// The time of `count` messages into one port, each of which takes `transfer` and then its `reduction`; a
/// message arrives while the one before is reduced. 0 for no message.
Seconds received_at_once(double count, Seconds transfer, Seconds reduction);

/// The largest block of a rank or a pair: the largest count, or n/p if there are no counts.
Bytes largest_block(const Call& call);

/// The schedule rooted at `root`: that rooted at rank 0, with its ranks rotated.
Schedule rooted(const Schedule& from_rank_0, Rank root);

}  // namespace collcast
