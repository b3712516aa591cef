// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engines/engine.hpp"
#include "forecast/forecast_cache.hpp"
#include "forecast/question.hpp"
#include "libraries/parameters.hpp"
#include "platforms/description/description.hpp"

namespace collcast {

/// A question whose names have become things.
struct Resolved {
  /// `on`: this platform instead of those that the question names. Adds to `notes` what the question says in
  /// vain. Throws InputError if parts of it do not go together.
  Resolved(const Question& question, ForecastCache& cache, std::optional<Description> on,
           std::vector<std::string>& notes);

  const Question& asked;
  const Engine& engine;
  std::vector<Collective> collectives;
  std::vector<Description> platforms;

  /// Whether the algorithm is left to the policy.
  bool auto_choice() const { return !asked.own && asked.algorithm == "auto"; }
  std::vector<const Algorithm*> candidates(Collective collective) const;
  std::vector<Bytes> sizes(Collective collective) const;
  /// What the question says of the parameters of any algorithm, or of this one.
  Stated stated(Bytes message) const;
  Stated stated(const Algorithm& algorithm, Bytes message) const;
  /// Checks the schedule of a caller's own algorithm, which no test has read.
  void check_own(const Call& call) const;
};

}  // namespace collcast
