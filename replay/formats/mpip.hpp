// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_mpip(std::string_view head);

/// A report of mpiP: a profile by call site, with times and mean sent sizes, summed over all ranks.
std::unique_ptr<Source> open_mpip(const std::vector<std::string>& files, const OpenOptions& options);

}  // namespace collcast
