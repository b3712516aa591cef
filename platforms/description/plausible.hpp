// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platforms/description/description.hpp"

namespace collcast {

/// A warning, with the name of the platform, for each parameter beyond the range of its kind, most likely in
/// the wrong unit, and for each piece of a software's costs that charges less than the one of smaller
/// messages.
std::vector<std::string> implausible(const Description& description);

}  // namespace collcast
