// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "replay/source/source.hpp"
#include "replay/trace/reader.hpp"

namespace collcast {

/// An own recording as a source: one stream per rank, each MPI call after the computation before it. The
/// creation of a communicator counts as an 8-byte allreduce: its members agree on a number. `reader` outlives
/// the source.
std::unique_ptr<Source> cct_source(const trace::Reader& reader);

/// The same for a file. Throws InputError as trace::Reader does.
std::unique_ptr<Source> open_cct(const std::string& path);

}  // namespace collcast
