// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/report/plot.hpp"
#include "validation/accuracy/compare.hpp"

namespace collcast::accuracy {

/// For each operation and number of ranks: measured times (points) and predicted ones (lines, intervals
/// shaded) by size, and predicted over measured with the prediction's interval. A curve for each table, and
/// for each algorithm and settings that a table names.
report::Picture picture(const Comparison& comparison);

}  // namespace collcast::accuracy
