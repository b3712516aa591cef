// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_time_independent(std::string_view head);

/// SMPI time-independent traces: one file, or one per rank; each line a rank and an action. A flop takes 1
/// ns, times the compute scale.
std::unique_ptr<Source> open_time_independent(const std::vector<std::string>& files,
                                              const OpenOptions& options);

}  // namespace collcast
