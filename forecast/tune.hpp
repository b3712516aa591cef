// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/library.hpp"
#include "forecast/question.hpp"
#include "libraries/tuner/tuner.hpp"

namespace collcast {

/// Which file, for which calls.
struct TuneQuestion {
  std::string library;  ///< tuner::format
  std::string policy;   ///< a release of it; empty: the one that the library's files are for
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
    std::string name;  ///< as the library calls it, with what else it is told
    Seconds time, low, high;
    std::string_view engine = {}, note = {};  ///< that priced it; why that one
    bool own_transport = true;                ///< priced as the library sends, so that two can be compared
  };
  struct Point {
    Collective collective;
    Bytes size;
    std::optional<Play> standard =
        {};                    ///< what the library does by itself; none where collcast does not know
    std::string unknown = {};  ///< why
    Play best = {};
    std::vector<Play> able = {};  ///< all that the library can be told
    bool told = false;            ///< the gain exceeds the interval, and nothing speaks against it
    std::string doubt = {};       ///< what does
  };
  tuner::Tuning tuning = {};
  std::string platform, policy;
  std::vector<Point> points = {};
  std::vector<std::string> notes = {};
};

/// The fastest of what the library can be told, by size, and the rules that say so where it pays. Between two
/// sizes the rules change at their geometric mean. Throws InputError.
Tuned tune(const TuneQuestion& question, const Watch& watch = {});

}  // namespace collcast
