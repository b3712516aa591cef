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

/// How long collectives take: what the command line, sweeps, campaigns and C++ ask. Names are as users write
/// them; `ask` resolves them once.
struct Question {
  std::vector<std::string> collectives;  ///< as we, nccl-tests, OSU or MPI call them
  std::string algorithm = "auto";        ///< a name; auto: what `policy` does; all: each that can be played
  const Algorithm* own = nullptr;        ///< an algorithm outside the catalogue, instead of `algorithm`; it
                                         ///< outlives the answer
  std::string policy = "fastest";        ///< fastest by critical path, or a library's name (`pick`)
  std::vector<std::string> platforms;    ///< names or files
  std::vector<std::string> set;          ///< parameters of each of them: "network.bandwidth_GBps=25"
  std::vector<Rank> ranks;
  std::vector<Bytes> sizes;         ///< as nccl-tests counts them; empty: what the counts of `call` add up to
  std::string placement = "block";  ///< for parse_placement
  Memory memory = Memory::device;
  std::optional<Transport> transport;  ///< under any algorithm; none: the platform's own, or the policy's
  bool explain = false;                ///< rows say where their time goes
  std::string engine = "auto";
  CallText call;
  Offload offload;
  bool with_synthesized = false;  ///< beside all algorithms the fastest that is made for the machine
  bool sensitivity = false;       ///< of one platform: what moves the times, and by how much

  /// Where its messages lie: a barrier's are empty, so that the hosts send them, unless a transport for GPUs
  /// is asked for.
  Memory memory_of(Collective collective) const {
    return collective == Collective::barrier && !transport ? Memory::host : memory;
  }
};

/// Who waits for an answer.
struct Watch {
  std::function<void(const std::string&)> progress = [](const std::string&) {};
  const std::atomic<bool>* interrupt = nullptr;  ///< once true, the answer ends with what was computed so far
  Watched watched = nullptr;                     ///< sees how each row's messages go
};

}  // namespace collcast
