// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/report/plot.hpp"
#include "forecast/sweep/sweep.hpp"

namespace collcast::sweep {

/// The key of the setting on a picture's x axis: the number that takes most values, or `over`, a name as in
/// the file. Throws InputError.
std::string across(const Space& space, const std::string& over);

/// Time over that setting. A grid gives a curve for each combination of the other settings; samples give
/// points, told apart by the settings that are no numbers.
report::Graph graph(const Sweep& sweep, const Json& rows, const std::string& across);

}  // namespace collcast::sweep
