// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "forecast/sweep/sweep.hpp"

namespace collcast::workloads {

/// What a sweep may ask: predict, train, job, replay.
std::vector<sweep::Verb> verbs();

/// The files that the lines of a sweep's `trace` name; each line names at least one. Throws InputError at a
/// line that names none.
std::vector<std::string> trace_files(const std::string& traces);

}  // namespace collcast::workloads
