// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_otf2(std::string_view head);

/// An archive of OTF2 (Score-P), named by its anchor file, by libotf2: the MPI calls of each rank's master
/// thread; time between calls is computation.
std::unique_ptr<Source> open_otf2(const std::vector<std::string>& files, const OpenOptions& options);

}  // namespace collcast
