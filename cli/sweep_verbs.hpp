// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "forecast/sweep/sweep.hpp"

namespace collcast::cli {

/// What a sweep may ask.
std::vector<sweep::Verb> sweep_verbs();

}  // namespace collcast::cli
