// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/description/description.hpp"

namespace collcast {

/// Throws InputError where `set` takes no such value, whatever else is set. What only the whole shows is left
/// to it.
void check_values(const Description& description, const std::string& path,
                  const std::vector<std::string>& values);

}  // namespace collcast
