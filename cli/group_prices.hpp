// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/group.hpp"
#include "workloads/job/price.hpp"

namespace collcast::cli {

/// What jobs pay for their collectives, by forecast; each is asked for once.
workloads::PriceOf group_prices(GroupForecaster& forecaster);

}  // namespace collcast::cli
