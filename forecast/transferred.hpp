// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "forecast/predict.hpp"
#include "platforms/description/calibrated_on.hpp"

namespace collcast {

/// Sets `transferred` if the forecast lies outside what its platform was calibrated on, and widens its
/// interval to at least the errors on the calibration tables. A call like theirs gets the error of their
/// points; another collective or number of ranks that of another table; each doubling beyond their ranks and
/// sizes adds the uncertainty of a calibrated number. docs/platforms.md has the formula.
Prediction within(const std::vector<CalibratedOn>& calibrated, Prediction prediction);

}  // namespace collcast
