// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platforms/description/description.hpp"

namespace collcast {

/// A sentence for each parameter beyond what its kind has ever been: most likely its unit slipped.
std::vector<std::string> implausible(const Description& description);

}  // namespace collcast
