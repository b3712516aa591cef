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

/// What `ask` says, a row per platform, collective, ranks, size and algorithm, in this order.
struct Answer {
  struct Row {
    std::string platform;
    Prediction prediction;
    std::string engine;    ///< that gave it
    std::string protocol;  ///< of NCCL
    std::string why;       ///< a library chose so
    std::optional<Overlap> overlap = {};
    std::optional<Seconds> estimate = {};      ///< by the library's own model
    std::optional<bool> picked = {};           ///< of all that the library has it takes this
    std::vector<Elasticity> sensitivity = {};  ///< of its time, if it was asked for
    Occupancy occupancy = {};
    std::size_t which = 0;  ///< of `platforms`: two may have one name
  };
  std::vector<std::string> collectives, platforms;  ///< by our names
  std::vector<std::string> files;                   ///< of the platforms; names of those that are shipped
  std::string engine;                               ///< that was asked for
  bool transport_forced = false;
  Offload offload;
  std::vector<int> workers;  ///< cores of a node's DPU that play, by platform; 0: none
  std::vector<Row> rows;
  std::vector<Unbound> unbound;                        ///< of the overrides
  std::optional<std::vector<Elasticity>> sensitivity;  ///< of the sum of all rows' times, if it was asked for
  std::optional<Seconds> shown = {};  ///< how long the call took that was watched, if that is not its time
  std::vector<std::string> notes;
  std::vector<std::shared_ptr<const SynthesizedSchedule>> synthesized;  ///< whose algorithms are in rows
};

/// Prints nothing. Throws InputError where the question makes no sense, or a platform cannot serve it.
Answer ask(const Question& question, const Watch& watch = {});
/// One of many questions: what they share is made once; without `unbound` and `sensitivity`.
Answer ask(const Question& question, ForecastCache& cache, const Watch& watch = {});

}  // namespace collcast
