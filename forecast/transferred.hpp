// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "forecast/predict.hpp"
#include "platforms/description/calibrated_on.hpp"

namespace collcast {

/// Says whether a forecast is `transferred`: outside what its platform was calibrated on; and widens its
/// interval to at least what the tables that were calibrated on are missed by. A call like theirs is missed
/// as their points are; another collective or number of ranks as another table would be, and each doubling
/// beyond their ranks and messages adds what a calibrated number is uncertain by. docs/platforms.md has the
/// formula.
Prediction within(const std::vector<CalibratedOn>& calibrated, Prediction prediction);

}  // namespace collcast
