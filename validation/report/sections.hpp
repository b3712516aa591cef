// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/report/page.hpp"
#include "validation/report/results.hpp"

namespace collcast::report {

/// The chapters of the report, the answer first: how well each predictor does, what it costs to choose
/// algorithms by it, then every point.
std::vector<Chapter> sections(const Results& results);

/// Whether every engine keeps the campaign's bounds.
bool within_bounds(const Results& results);

}  // namespace collcast::report
