// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/library.hpp"
#include "forecast/question.hpp"
#include "libraries/tuner/tuner.hpp"

namespace collcast {

/// What to tune: the library whose file is written, and the calls that it is for.
struct TuneQuestion {
  std::string library;  ///< a name that tuner::format knows
  std::string policy;   ///< a release of the library; empty: the one that its files are for
  std::string platform;
  std::vector<std::string> set;
  Rank ranks = 1;
  std::vector<Bytes> sizes;              ///< ascending
  std::vector<std::string> collectives;  ///< none: all that the library can be told about
  std::string placement = "block", engine = "auto";
  std::optional<Memory> memory = {};  ///< none: devices for NCCL, the host for MPI
};

struct Tuned {
  /// What a library plays at one size, as it was priced.
  struct Play {
    tuner::Rule rule;
    std::string name;  ///< the library's name for it, with its other settings
    Seconds time, low, high;
    std::string_view engine = {}, note = {};  ///< the engine, and why that one
    bool own_transport = true;                ///< priced as the library sends, so that two can be compared
  };
  struct Point {
    Collective collective;
    Bytes size;
    std::optional<Play> standard = {};  ///< what the library does by itself; none: not known
    std::string unknown = {};           ///< why it is not known
    Play best = {};
    std::vector<Play> choices = {};  ///< all that the library can be told
    bool told = false;  ///< whether a rule is worth it: the gain exceeds the interval, and there is no doubt
    std::string doubt = {};  ///< why there is no rule in spite of a gain
  };
  tuner::Tuning tuning = {};
  std::string platform, policy;
  std::vector<Point> points = {};
  std::vector<std::string> notes = {};
};

/// For each size the fastest play that the library can be told, and rules where that pays. Between two sizes
/// the rules change at their geometric mean. Throws InputError.
Tuned tune(const TuneQuestion& question, const Watch& watch = {});

}  // namespace collcast
