// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_tau(std::string_view head);

/// TAU's profiles, profile.NODE.0.0, a file per rank: counts and times of MPI calls, and mean sizes of
/// collectives.
std::unique_ptr<Source> open_tau(const std::vector<std::string>& files, const OpenOptions& options);

}  // namespace collcast
