// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_dumpi(std::string_view head);

/// DUMPI's traces, one file per rank, binary or as dumpi2ascii prints them. The rank is what MPI_Comm_rank
/// answered, else the last number of the file's name. Time between calls is computation.
std::unique_ptr<Source> open_dumpi(const std::vector<std::string>& files, const OpenOptions& options);

}  // namespace collcast
