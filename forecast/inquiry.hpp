// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "forecast/answer.hpp"
#include "forecast/forecast_cache.hpp"
#include "platforms/description/description.hpp"

namespace collcast {

/// The note of an answer that an interrupt ended.
constexpr const char* not_computed = "interrupted: what follows was not computed";

/// The rows of a question, platform by platform. `on`: this platform instead of those that the question
/// names. `ask` adds what takes other platforms: overrides that do not bind, and sensitivity.
Answer inquire(const Question& question, const Watch& watch, ForecastCache& cache,
               std::optional<Description> on = {});

}  // namespace collcast
