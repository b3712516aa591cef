// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_darshan(std::string_view head);

/// A log of Darshan 3.1 to 3.5: operations on files (POSIX, MPI-IO, STDIO), and MPI calls by rank if Darshan
/// was built with its MPI module (APMPI).
std::unique_ptr<Source> open_darshan(const std::vector<std::string>& files, const OpenOptions& options);

}  // namespace collcast
