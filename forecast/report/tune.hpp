// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/report/report.hpp"
#include "forecast/tune.hpp"

namespace collcast::report {

/// `tune`'s points, and the rules that the file has.
Report make(const Tuned& tuned, const tuner::Library& library);

}  // namespace collcast::report
