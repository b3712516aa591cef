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
  /// What "auto" does: fastest, or a library's name (`pick`), whose collectives, if it is NCCL, take what is
  /// forecast of them as single operations (Prices). Empty: `policy_for`, or
  /// "fastest" of what is said to be in host memory.
  std::string policy = {};
  Placement placement = Placement::block;
  std::optional<Memory> memory;  ///< where the application keeps its data; as the source says if none
  double compute_scale = 1;      ///< computation takes this times what the source says
  Offloaded offloaded = {};      ///< collectives of all ranks alike, in block placement
  PlayOptions play;
  bool interval = true;       ///< plays it at both ends of the platform's uncertainty, too
  Watched watched = nullptr;  ///< sees the run on the platform as described
  bool parts = false;         ///< also says what each rank's time goes to
};

/// Who chooses and sends where nobody says: NCCL, as in jobs, what NCCL or RCCL sent when it was recorded, on
/// machines with GPUs that it knows; else "fastest".
std::string policy_for(const Source& source, const Description& platform);

/// What an application takes on a platform. Times are of the whole run and means over its ranks: `compute`
/// and `exposed` add up to `time`.
struct ReplayReport {
  Seconds time;           ///< when the last rank is done
  Seconds low, high;      ///< the same at both ends of the platform's uncertainty
  Seconds lower_bound;    ///< the longest computation of a rank: no communication is faster than none
  Seconds compute;        ///< a rank computes
  Seconds exposed;        ///< a rank does not compute: it communicates, or waits for others
  Seconds communication;  ///< some communication of a rank is under way, hidden behind computation or not
  struct Operation {
    std::string name;  ///< "allreduce"; "send", "recv" and "wait" for messages
    std::int64_t count = 0;
    Bytes bytes;
    Seconds time;                    ///< in this operation, of a rank
    Seconds recorded = Seconds(-1);  ///< the same when it was recorded; negative: unknown
    std::string algorithm;           ///< as played; several are joined by commas
  };
  std::vector<Operation> operations;  ///< most time first
  std::vector<Parts::OfRank> parts;   ///< if they were asked for
  std::string policy;                 ///< that chose
  struct NotModelled {
    std::string operation;
    std::int64_t count;
    std::string reason;
  };
  std::vector<NotModelled> not_modelled;
  bool stopped_short = false;  ///< the trace ends before its ranks do: `time` is that of what was played
  std::string limited_by;      ///< the largest share of the explanation
  std::optional<double> limited_by_share;  ///< of the time; none where the explanation is too long
  std::vector<Share> explanation;          ///< adds up to the time; empty: too many messages
  bool calibrated = false;                 ///< the platform's parameters are
  Seconds recorded;                        ///< wall clock of the recorded run
  std::vector<std::string> notes;          ///< why the answer covers only a part of the run
};

/// Plays a source on a platform, a rank for each of its own. Engines that are not quick are asked once; how
/// far the platform's uncertainty moves the time is then asked of `path`. The choices of algorithms are those
/// of the platform as described.
ReplayReport replay(const Source& source, const Description& platform, const ReplayOptions& options);
/// The time alone, or its low or high end.
Seconds replay_time(const Source& source, const Description& platform, const ReplayOptions& options,
                    Seconds ReplayReport::*end = &ReplayReport::time);

}  // namespace collcast
