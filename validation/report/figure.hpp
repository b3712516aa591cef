// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "validation/report/results.hpp"

namespace collcast::report {

/// Whether there is a gnuplot, which draws the figures.
bool can_draw();

/// Predicted (lines) against measured (points) by algorithm and size, a panel for each collective and number
/// of ranks. `terminal` is gnuplot's: "svg" or "pngcairo". Returns the picture; throws SubstrateError with
/// gnuplot's words.
std::string draw(const Results& results, const std::string& engine, const std::string& terminal);

}  // namespace collcast::report
