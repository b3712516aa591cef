// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/report/plot.hpp"
#include "forecast/report/report.hpp"
#include "forecast/tune.hpp"

namespace collcast::report {

/// `tune`'s points, and the rules that the file has.
Report make(const Tuned& tuned, const tuner::Format& format);

/// For each collective the time by size of the default and of what the library then plays, with its interval,
/// and the sizes at which the file changes its mind.
Picture picture(const Tuned& tuned, const tuner::Format& format);

}  // namespace collcast::report
