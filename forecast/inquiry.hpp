// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "forecast/answer.hpp"
#include "forecast/forecast_cache.hpp"
#include "platforms/description/description.hpp"

namespace collcast {

/// The note of an answer that an interrupt ended.
constexpr const char* not_computed = "interrupted: what follows was not computed";

/// The rows of a question, platform by platform, on this platform instead if there is one. What a question
/// says of other platforms - overrides that do not bind, sensitivity - is `ask`'s.
Answer inquire(const Question& question, const Watch& watch, ForecastCache& cache,
               std::optional<Description> on = {});

}  // namespace collcast
