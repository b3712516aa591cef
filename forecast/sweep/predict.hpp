// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/sweep/sweep.hpp"

namespace collcast::sweep {

/// `predict` at each point: a row per algorithm that was asked for.
Verb predict();

}  // namespace collcast::sweep
