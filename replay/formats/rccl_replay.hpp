// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_rccl_replay(std::string_view head);

/// What RCCL writes with RCCL_REPLAY_FILE, one file per process: text that is called JSON and is none, or
/// binary records. Calls at the capture of a graph did not run and are left out; the graph's launches are
/// there.
std::unique_ptr<Source> open_rccl_replay(const std::vector<std::string>& files, const OpenOptions& options);

}  // namespace collcast
