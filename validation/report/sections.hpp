// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/report/page.hpp"
#include "validation/report/results.hpp"

namespace collcast::report {

/// The answer first: who predicts how well, what an algorithm choice by it costs, then every point.
std::vector<Chapter> sections(const Results& results);

/// Whether every engine keeps the campaign's bounds.
bool within_bounds(const Results& results);

}  // namespace collcast::report
