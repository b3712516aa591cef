// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "forecast/predict.hpp"
#include "forecast/report/report.hpp"
#include "forecast/synthesis/front.hpp"

namespace collcast::synthesis {

/// A forecast beside the bound.
Json row(const std::string& schedule, const Prediction& prediction, const Bound& bound);
/// Of such rows.
std::vector<report::Column> columns();

/// Prices of links and ports know more than cuts.
Bound tightest(Bound bound, Bytes message, const Front& front);

}  // namespace collcast::synthesis
