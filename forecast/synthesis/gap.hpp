// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "forecast/question.hpp"
#include "forecast/report/report.hpp"
#include "forecast/synthesis/synthesis.hpp"

namespace collcast {

/// A synthesised schedule in the segments that are the fastest by critical path, if it is one of them.
Prediction predict(const Synthesis& synthesis, const Forecaster& forecaster, Bytes message,
                   const Engine& engine);

/// For one platform, collective and number of ranks: how far from the bound are, at each size, a synthesised
/// schedule, the fastest of the catalogue, and what the question's policy would play.
report::Report gap(const Question& question, const Watch& watch = {});

/// What was synthesised, and how long it takes at each size of the question, by critical path and contended.
report::Report report_of(const Synthesis& synthesis, const Question& question, const Forecaster& forecaster);

}  // namespace collcast
