// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "support/json_fwd.hpp"
#include "workloads/training/step.hpp"

namespace collcast::workloads {

/// A forecast as a row of `job`; `samples` of one pass, if that is above 0.
Json job_row(const Job& job, const JobForecast& forecast, double samples, const Description& platform);
/// A forecast as a row of `train`.
Json train_row(const Training& training, const StepForecast& step);

/// Why the step does not fit into a processor's memory; empty where it does, or where that is not known.
std::string too_large(const Training& training, const StepForecast& step);

}  // namespace collcast::workloads
