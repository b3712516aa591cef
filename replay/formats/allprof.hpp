// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/dumpi_calls.hpp"

namespace collcast {

/// Traces of liballprof (LogGOPSim's tracer), a file per rank: a line for each call, with its arguments.
bool is_allprof(std::string_view head);

/// Reads call by call, with arguments named as DUMPI names them; times count from the file's first one.
/// Throws InputError at a line that is no call.
void read_allprof(const std::string& path, DumpiFacts& facts, const VisitCall& visit);

}  // namespace collcast
