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
  double compute_scale = 1;      ///< computation takes this many times what the source says
  Offloaded offloaded = {};      ///< collectives that DPUs play; in block placement
  PlayOptions play;
  bool interval = true;       ///< also plays the source at both ends of the platform's uncertainty
  Watched watched = nullptr;  ///< observes the run on the platform as described
  bool parts = false;         ///< fills ReplayReport::parts
};

/// The default policy. For calls recorded from NCCL or RCCL, on machines whose GPUs NCCL supports, it is
/// NCCL, as in jobs; otherwise "fastest".
std::string policy_for(const Source& source, const Description& platform);

/// What kind of time the source's computation is: "recorded CPU time".
std::string computation_of(const SourceInfo& info);

/// The forecast of an application on a platform. Times are of the whole run, and means over its ranks:
/// `compute` and `exposed` add up to `time`.
struct ReplayReport {
  Seconds time;           ///< when the last rank is done
  Seconds low, high;      ///< the same at both ends of the platform's uncertainty
  Seconds lower_bound;    ///< the longest computation of a rank
  Seconds compute;        ///< time in which a rank computes
  Seconds exposed;        ///< time without computation: a rank communicates, waits for others, or is idle
  Seconds communication;  ///< time with some call of a rank under way, hidden or not
  Seconds idle;           ///< of `exposed`: outside of any call, in gaps of its host, or done before others
  struct Operation {
    std::string name;  ///< "allreduce"; "send", "recv" and "wait" for messages
    std::int64_t count = 0;
    Bytes bytes;
    Seconds time;                    ///< that a rank is in this operation
    Seconds recorded = Seconds(-1);  ///< the same in the recorded run; negative: unknown
    std::string algorithm;           ///< as played; several are joined by commas
  };
  std::vector<Operation> operations;  ///< most time first
  std::vector<Parts::OfRank> parts;   ///< if they were asked for
  std::string policy;                 ///< that chose the algorithms
  std::vector<Loss> not_modelled;
  bool stopped_short = false;  ///< the trace ends before its ranks do: `time` covers what was played
  std::string limited_by;      ///< the largest share of the explanation
  std::optional<double> limited_by_share;  ///< of the time; none where the explanation is too long
  std::vector<Share> explanation;          ///< adds up to the time; empty: too many messages
  bool calibrated = false;                 ///< the platform's parameters are calibrated
  Seconds recorded;                        ///< wall clock of the recorded run
  std::vector<std::string> notes;          ///< why the answer covers only a part of the run
};

/// Plays a source on as many ranks of a platform. An engine that is not quick plays the source once; `path`
/// then tells how far the platform's uncertainty moves the time. Algorithms are chosen for the platform as
/// described.
ReplayReport replay(const Source& source, const Description& platform, const ReplayOptions& options);
/// Only the time of a replay, or its low or high end.
Seconds replay_time(const Source& source, const Description& platform, const ReplayOptions& options,
                    Seconds ReplayReport::*end = &ReplayReport::time);

}  // namespace collcast
