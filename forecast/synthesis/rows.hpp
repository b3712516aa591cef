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
/// The columns of such rows.
std::vector<report::Column> columns();

/// The bound, raised to the front's lower bound by prices of links and ports where that is higher.
Bound raised_by_prices(Bound bound, Bytes message, const Front& front);

}  // namespace collcast::synthesis
