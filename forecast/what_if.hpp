// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/units.hpp"
#include "platforms/description/description.hpp"

namespace collcast {

/// The times of a question's rows on a platform.
using TimesOn = std::function<std::vector<Seconds>(const Description& platform)>;

/// Whether the two differ in number, or some time by more than rounding.
bool moved(const std::vector<Seconds>& before, const std::vector<Seconds>& after);

/// The platform with other values of some of its parameters, by their paths.
Description with_values(const Description& platform,
                        const std::vector<std::pair<std::string, double>>& values);

}  // namespace collcast
