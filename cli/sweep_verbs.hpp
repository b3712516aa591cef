// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "forecast/sweep/sweep.hpp"

namespace collcast::cli {

/// What a sweep may ask.
std::vector<sweep::Verb> sweep_verbs();

/// What tables show of the time that `train`, `job` or `replay` answers.
std::vector<report::Column> time_columns(const std::string& verb);

}  // namespace collcast::cli
