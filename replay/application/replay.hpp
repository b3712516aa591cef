// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engines/player/player.hpp"
#include "forecast/predict.hpp"
#include "replay/application/parts.hpp"
#include "replay/application/prices.hpp"
#include "replay/source/source.hpp"

namespace collcast {

struct ReplayOptions {
  const Engine* engine = &contention_engine();    ///< one that plays programs
  std::map<std::string, std::string> algorithms;  ///< collective -> algorithm; the others are "auto"
  /// What "auto" chooses: "fastest", or a library's name (`pick`). NCCL's collectives take what `predict`
  /// forecasts of them as single operations (Prices). Empty: `policy_for`, or "fastest" if `memory` is the
  /// host's.
  std::string policy = {};
  Placement placement = Placement::block;
  std::optional<Memory> memory;  ///< where the application keeps its data; none: as the source says
  double compute_scale = 1;      ///< computation takes this times what the source says
  Offloaded offloaded = {};      ///< collectives that DPUs play; in block placement
  PlayOptions play;
  bool interval = true;       ///< also plays it at both ends of the platform's uncertainty
  Watched watched = nullptr;  ///< observes the run on the platform as described
  bool parts = false;         ///< fills ReplayReport::parts
};

/// The default policy: for calls recorded from NCCL or RCCL, on machines whose GPUs NCCL supports, NCCL as in
/// jobs; otherwise "fastest".
std::string policy_for(const Source& source, const Description& platform);

/// What the source's computation is, as it was recorded: "recorded CPU time".
std::string computation_of(const SourceInfo& info);

/// The forecast of an application on a platform. Times are of the whole run, and means over its ranks:
/// `compute` and `exposed` add up to `time`.
struct ReplayReport {
  Seconds time;           ///< when the last rank is done
  Seconds low, high;      ///< the same at both ends of the platform's uncertainty
  Seconds lower_bound;    ///< the longest computation of a rank
  Seconds compute;        ///< a rank computes
  Seconds exposed;        ///< a rank does not compute: it communicates, waits for others, or is idle
  Seconds communication;  ///< some call of a rank is under way, hidden or not
  Seconds idle;           ///< of `exposed`: outside of any call, in gaps of its host, or done before others
  struct Operation {
    std::string name;  ///< "allreduce"; "send", "recv" and "wait" for messages
    std::int64_t count = 0;
    Bytes bytes;
    Seconds time;                    ///< of a rank in this operation
    Seconds recorded = Seconds(-1);  ///< the same when it was recorded; negative: unknown
    std::string algorithm;           ///< as played; several are joined by commas
  };
  std::vector<Operation> operations;  ///< most time first
  std::vector<Parts::OfRank> parts;   ///< if they were asked for
  std::string policy;                 ///< that chose
  std::vector<Loss> not_modelled;
  bool stopped_short = false;  ///< the trace ends before its ranks do: `time` is that of what was played
  std::string limited_by;      ///< the largest share of the explanation
  std::optional<double> limited_by_share;  ///< of the time; none where the explanation is too long
  std::vector<Share> explanation;          ///< adds up to the time; empty: too many messages
  bool calibrated = false;                 ///< the platform's parameters are
  Seconds recorded;                        ///< wall clock of the recorded run
  std::vector<std::string> notes;          ///< why the answer covers only a part of the run
};

/// Plays a source on as many ranks of a platform. An engine that is not quick plays it once; how far the
/// platform's uncertainty moves the time is then asked of `path`. Algorithms are chosen for the platform as
/// described.
ReplayReport replay(const Source& source, const Description& platform, const ReplayOptions& options);
/// The time alone, or its low or high end.
Seconds replay_time(const Source& source, const Description& platform, const ReplayOptions& options,
                    Seconds ReplayReport::*end = &ReplayReport::time);

}  // namespace collcast
