// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "forecast/report/plot.hpp"
#include "validation/report/results.hpp"

namespace collcast::report {

/// For each collective and number of ranks: predicted (lines) against measured (points, with the interval of
/// the median) by algorithm and size, and predicted over measured, where an error of 30 % can be seen.
std::vector<Figure> figures(const Results& results, const std::string& engine);

/// The same as one picture.
Picture picture(const Results& results, const std::string& engine);

}  // namespace collcast::report
