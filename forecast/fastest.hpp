// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "forecast/predict.hpp"
#include "libraries/chooser.hpp"
#include "libraries/parameters.hpp"

namespace collcast {

/// Told what a search does: "looking for the fastest on 8 ranks: ring".
using Progress = std::function<void(const std::string&)>;

/// The algorithms of the catalogue that the platform can play with a message of this size, and that a library
/// would consider.
std::vector<const Algorithm*> considered(const Forecaster& forecaster, Collective collective, Rank ranks,
                                         Bytes message);

/// The fastest algorithm by critical path (`fastest` of libraries/chooser.hpp). Throws InputError if none
/// serves the call.
Choice fastest_by_path(
    const Fabric& fabric, const std::vector<const Algorithm*>& among, const Call& call, const Stated& stated,
    const Progress& progress = [](const std::string&) {});

/// The forecast of an algorithm with the parameters that are fastest by `engine`, unless they are stated.
Prediction predict_at_best(const Forecaster& forecaster, const Algorithm& algorithm, const Call& call,
                           const Stated& stated, const Engine& engine);

/// The forecast of the fastest algorithm; `predict`, jobs and training steps choose by it. `engine` reads the
/// algorithm with the shortest critical path. If `engine` models contention, it also reads every other
/// algorithm whose critical path is shorter than the best time so far, as shared links may slow down the
/// first one more. Throws InputError if no algorithm serves the call. `sampled` gets the names of algorithms
/// that had too many messages to be played in full.
Prediction predict_fastest(
    const Forecaster& forecaster, const std::vector<const Algorithm*>& among, const Call& call,
    const Stated& stated, const Engine& engine, const Progress& progress = [](const std::string&) {},
    std::vector<std::string>* sampled = nullptr);

}  // namespace collcast
