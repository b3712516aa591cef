// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "replay/formats/formats.hpp"

namespace collcast {

bool is_ipm(std::string_view head);

/// IPM's banner: calls of all ranks together, with their times, without sizes.
std::unique_ptr<Source> open_ipm(const std::vector<std::string>& files, const OpenOptions& options);

}  // namespace collcast
