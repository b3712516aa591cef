// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "support/json_fwd.hpp"
#include "validation/accuracy/compare.hpp"

namespace collcast::accuracy {

/// As rows of `collcast validate --measurements --format json`.
Json point_rows(const Comparison& comparison);
/// The number of these points, their errors and the share inside the interval.
Json as_json(const std::vector<const Point*>& points);
/// The whole answer, with what was left out and why.
Json as_json(const Comparison& comparison, const std::string& platform, const std::string& policy);

}  // namespace collcast::accuracy
