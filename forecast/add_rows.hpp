// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/forecast_cache.hpp"
#include "forecast/growing_answer.hpp"
#include "forecast/resolved.hpp"

namespace collcast {

/// What is asked of a platform and a collective, and the answer that takes the rows.
struct Inquiry {
  const Resolved& question;
  const Description& platform;
  Collective collective;
  const Watch& watch;
  ForecastCache& cache;
  GrowingAnswer& answer;
};

/// Adds the rows of a number of ranks: what the library chooses that the policy names.
void add_rows_of_library(const Inquiry& inquiry, Rank ranks);

/// The same: algorithms, or the fastest by forecast.
void add_rows_of_algorithms(const Inquiry& inquiry, Rank ranks);

}  // namespace collcast
