// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/report/plot.hpp"
#include "forecast/sweep/sweep.hpp"

namespace collcast::sweep {

/// The setting that a picture of a sweep shows across: the number that takes most values, or `over`, which
/// names it as the file does. Throws InputError.
std::string across(const Space& space, const std::string& over);

/// Time over that setting: of a grid a curve for each combination of the others, of samples points, told
/// apart by what is no number.
report::Graph graph(const Sweep& sweep, const Json& rows, const std::string& across);

}  // namespace collcast::sweep
