// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engines/engine.hpp"
#include "forecast/question.hpp"
#include "model/collective.hpp"

namespace collcast {

/// Throws InputError if a question does not say what every question says, or has sizes that none can have.
void check_given(const Question& question);

/// Throws InputError if parts of a question do not go together. `collectives`: those that it names.
void check_together(const Question& question, const std::vector<Collective>& collectives,
                    const Engine& engine);

}  // namespace collcast
