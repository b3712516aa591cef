// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_nccl_inspector(std::string_view head);

/// NCCL Inspector JSON lines: collectives and messages with their times, by communicator. Without verbose
/// dumps the order is that of the file.
std::unique_ptr<Source> open_nccl_inspector(const std::vector<std::string>& files,
                                            const OpenOptions& options);

}  // namespace collcast
