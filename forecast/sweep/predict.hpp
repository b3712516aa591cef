// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/sweep/sweep.hpp"
#include "model/fabric.hpp"

namespace collcast::sweep {

/// "host" or "device". Throws InputError.
Memory parse_memory(const std::string& name);

/// `predict` at each point: a row per algorithm that was asked for.
Verb predict();

}  // namespace collcast::sweep
