// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/dumpi_calls.hpp"

namespace collcast {

/// Traces of liballprof (LogGOPSim's tracer), a file per rank: a line for each call, with its arguments.
bool is_allprof(std::string_view head);

/// Call by call, with arguments named as DUMPI names them; times from the first one of the file on. Throws
/// InputError at a line that is none.
void read_allprof(const std::string& path, DumpiFacts& facts, const VisitCall& visit);

}  // namespace collcast
