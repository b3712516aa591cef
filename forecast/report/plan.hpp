// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/plan.hpp"
#include "forecast/report/plot.hpp"

namespace collcast::report {

/// The time of every candidate over its cost, or over its nodes where not all have a price: a curve for each
/// platform, the limits, the candidates that no other beats in both, and the best candidate if it is within
/// the limits.
Graph graph(const std::vector<plan::Judged>& all, const plan::Limits& limits);

}  // namespace collcast::report
