// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/layout.hpp"

namespace collcast {

/// The schedule as GOAL text, which LogGOPSim's txt2bin reads. Hoefler, Siebert & Lumsdaine, ICPP 2009.
///
/// Sizes are rounded to whole bytes, at least one: LogGOPSim charges size - 1 gaps. A reduction is a `calc`
/// of `gamma` per byte in nanoseconds. Messages of a pair of ranks have tags 0, 1, ..., so that they match
/// in whatever order they arrive. Throws InputError for what GOAL cannot express: multicasts, copies within a
/// rank.
std::string write_goal(const Schedule& schedule, const Layout& layout, SecondsPerByte gamma = {});

}  // namespace collcast
