// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "forecast/sweep/sweep.hpp"

namespace collcast::cli {

/// The verbs that a sweep may ask.
std::vector<sweep::Verb> sweep_verbs();

/// The files that a trace's lines name, each at least one. Throws InputError at a line that names none.
std::vector<std::string> trace_files(const std::string& traces);

/// The columns of times in tables of `train`, `job` or `replay`.
std::vector<report::Column> time_columns(const std::string& verb);

}  // namespace collcast::cli
