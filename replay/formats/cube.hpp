// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_cube(std::string_view head);

/// A CUBE 4 profile (Score-P, Scalasca), plain or with compressed rows: counts and times of MPI calls by call
/// path and rank, and mean sizes of what they send.
std::unique_ptr<Source> open_cube(const std::vector<std::string>& files, const OpenOptions& options);

}  // namespace collcast
