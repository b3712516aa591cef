// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_goal_text(std::string_view head);

/// GOAL text (LogGOPSim, ATLAHS): messages and computation (in ns), ordered by dependencies.
std::unique_ptr<Source> open_goal_text(const std::vector<std::string>& files, const OpenOptions& options);

}  // namespace collcast
