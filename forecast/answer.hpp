// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forecast/question.hpp"
#include "forecast/sensitivity.hpp"
#include "forecast/unbound.hpp"

namespace collcast {

class ForecastCache;
struct SynthesizedSchedule;

/// The answer to a question: a row for each platform, collective, number of ranks, size and algorithm, in
/// this order.
struct Answer {
  struct Row {
    std::string platform;
    Prediction prediction;
    std::string engine;    ///< the engine that gave the time
    std::string protocol;  ///< NCCL's
    std::string why;       ///< why a library chose this algorithm
    std::optional<Overlap> overlap = {};
    std::optional<Seconds> estimate = {};      ///< by the library's own model
    std::optional<bool> picked = {};           ///< the library's own choice; none if not all were asked for
    std::vector<Elasticity> sensitivity = {};  ///< of the row's time, if it was asked for
    Occupancy occupancy = {};
    std::size_t which = 0;  ///< index into `platforms`, as two platforms may have the same name
  };
  std::vector<std::string> collectives, platforms;  ///< names
  std::vector<std::string> files;  ///< the platforms' files; of shipped platforms their names
  std::string engine;              ///< the engine that was asked for
  Offload offload;
  std::vector<int> workers;  ///< by platform: cores of a node's DPU that play; 0: none
  std::vector<Row> rows;
  std::vector<Unbound> unbound;                        ///< overrides that do not move the answer
  std::optional<std::vector<Elasticity>> sensitivity;  ///< of the sum of all rows' times, if it was asked for
  std::optional<Seconds> shown = {};  ///< how long the watched call took, if that differs from its forecast
  std::vector<std::string> notes;
  /// Owns the synthesised algorithms that rows point to.
  std::vector<std::shared_ptr<const SynthesizedSchedule>> synthesized;
};

/// Answers a question; prints nothing. Throws InputError if the question makes no sense, or a platform cannot
/// serve it.
Answer ask(const Question& question, const Watch& watch = {});
/// As above, for one of many questions that share a cache. Leaves `unbound` and `sensitivity` empty.
Answer ask(const Question& question, ForecastCache& cache, const Watch& watch = {});

}  // namespace collcast
