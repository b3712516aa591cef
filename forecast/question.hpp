// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "algorithms/call_text.hpp"
#include "engines/player/player.hpp"
#include "forecast/offload.hpp"

namespace collcast {

/// Asks how long collectives take, of every platform, number of ranks and size. The command line, Python,
/// sweeps and campaigns ask the same. Names are as users write them; `ask` resolves them.
struct Question {
  std::vector<std::string> collectives;  ///< by our names, or those of nccl-tests, OSU or MPI
  std::string algorithm = "auto";      ///< a name; auto: what `policy` chooses; all: each that can be played
  const Algorithm* own = nullptr;      ///< an algorithm outside the catalogue, instead of `algorithm`; it
                                       ///< outlives the answer
  std::string policy = "fastest";      ///< fastest (`predict_fastest`), or a library's name (`pick`)
  std::vector<std::string> platforms;  ///< names or files
  std::vector<std::string> set;        ///< parameters of each of them: "network.bandwidth_GBps=25"
  std::vector<Rank> ranks;
  std::vector<Bytes> sizes;         ///< as nccl-tests counts them; empty: the sum of the counts of `call`
  std::string placement = "block";  ///< for parse_placement
  Memory memory = Memory::device;
  std::optional<Transport> transport;  ///< of messages; none: the platform's own, or the policy's
  bool explain = false;                ///< rows say where their time goes
  std::string engine = "auto";
  CallText call;
  Offload offload;
  bool with_synthesized = false;  ///< with algorithm `all`, adds the fastest schedule made for the machine
  bool sensitivity = false;       ///< by how much each parameter moves the times; for a single platform

  /// Whether a library chooses, and not the forecasts.
  bool by_library() const { return policy != "fastest"; }
  /// Whether each algorithm is asked for.
  bool every() const { return algorithm == "all"; }
  /// The memory of the messages. A barrier's are empty, so hosts send them unless a transport is given.
  Memory memory_of(Collective collective) const {
    return collective == Collective::barrier && !transport ? Memory::host : memory;
  }
};

/// Hooks for a caller who waits for an answer.
struct Watch {
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  const std::atomic<bool>* interrupt = nullptr;  ///< once true, the answer ends with what was computed so far
  Watched watched = nullptr;                     ///< observes the messages of each row
};

}  // namespace collcast
