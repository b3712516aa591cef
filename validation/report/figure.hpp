// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "forecast/report/chart.hpp"
#include "validation/report/results.hpp"

namespace collcast::report {

/// For each collective and number of ranks: predicted (lines) against measured (points, with the interval of
/// the median) by algorithm and size, and predicted over measured, where an error of 30 % can be seen.
std::vector<Figure> figures(const Results& results, const std::string& engine);

/// The same as one picture by gnuplot, whose `terminal` is "svg" or "pngcairo". Throws SubstrateError with
/// gnuplot's words.
std::string draw(const Results& results, const std::string& engine, const std::string& terminal);

}  // namespace collcast::report
