// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "model/collective.hpp"
#include "model/units.hpp"

namespace collcast {

/// What was timed. latency: half a round trip. bandwidth: a message of a window, whose end the receiver
/// confirms. fan_out, fan_in, exchange: `window` messages from rank 0 to each other rank in turn, from each
/// other rank to rank 0, or both at once; the time is that of all messages, from a common start to the end of
/// the last. copy: one GPU's copy to another's memory, without MPI.
enum class Timing : std::uint8_t {
  latency,
  bandwidth,
  both_ways_bandwidth,
  fan_out,
  fan_in,
  exchange,
  copy,
  both_ways_copy,
  collective
};

/// One measured time, and where it was read. Unknown counts are 0: many tables do not say them.
struct Measurement {
  Timing timing = Timing::collective;
  Collective collective = Collective::allreduce;  ///< if `timing` is collective
  std::string library;             ///< the benchmark: "OSU 5.7", "nccl-tests"; and which of a file's tables
  std::string algorithm;           ///< empty: the library chose
  std::string settings;            ///< NCCL's settings, as in its policies: "algo=Ring,proto=LL"
  std::optional<Call> parameters;  ///< of the algorithm, if the table says them
  Rank ranks = 0, nodes = 0, root = 0;
  int jobs = 1;                    ///< jobs at once, which divide the ranks among them (collective)
  int gpus_a_thread = 1;           ///< GPUs that a thread launches one after the other (nccl-tests -g)
  int sockets = 0;                 ///< of a node: those of a message's ends, or of a collective's ranks
  int pairs = 1;                   ///< pairs of ranks that send side by side (latency, bandwidth)
  int window = 1;                  ///< messages on their way at once (bandwidth)
  Bytes message;                   ///< as model/collective.hpp counts it
  Seconds time;                    ///< of one message per pair (both ways: and one back), or of one call
  bool mean_over_ranks = false;    ///< the time is the mean over a collective's ranks; else of the last rank
  double rounding = 0;             ///< relative: half a unit of the last printed digit
  std::optional<Memory> from, to;  ///< where the sender and the receiver keep their data
  bool in_place = false;
  int sender = -1, receiver = -1;  ///< GPUs (copy)
  bool peer_access = true;         ///< GPUs write to each other's memory directly (copy)
  std::string file;
  int line = 0;

  /// "FILE:LINE".
  std::string source() const { return file + ":" + std::to_string(line); }
};

/// Messages between one rank and the others: a fan-out, a fan-in or an exchange.
bool is_star(const Measurement& measurement);

/// "latency", "bandwidth", ..., or the collective's name.
std::string operation(const Measurement& measurement);

/// What is to be said if a table of nccl-tests names another release of NCCL than the policy; empty if none
/// does.
std::string other_release(const std::vector<Measurement>& measurements, std::string_view policy);

/// Facts about a file that it does not say itself.
struct FileFacts {
  Rank ranks = 0, nodes = 0;
  int sockets = 0, pairs = 0;
  std::optional<Memory> from = {}, to = {};
  std::optional<Collective> collective = {};
  std::string algorithm = {};
  std::string library = {};  ///< for a file with several libraries: takes those whose names begin so
};

}  // namespace collcast
