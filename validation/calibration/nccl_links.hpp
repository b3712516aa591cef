// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/description/description.hpp"
#include "validation/measurements/measurement.hpp"

namespace collcast {

/// A link whose bandwidth is a guess, and what large messages make of it.
struct GuessedLink {
  std::string parameter;
  double before = 0, after = 0, low = 0, high = 0;  ///< [GB/s]; what explains them alike is from low to high
};

/// What the large messages of tables say of the base's links.
struct LinkFinding {
  std::optional<GuessedLink> moved;  ///< the one that they determine
  std::string doubt;  ///< in words, where links and other causes explain them alike; else empty
};

/// A guess moves only where large messages determine it: where it alone explains them, the base's channels
/// are not what limits them, slower and faster ones explain them worse, and it still drives the network cards
/// behind it if their bandwidth is known.
LinkFinding find_link(const Description& base, const std::vector<Measurement>& all,
                      const std::string& policy);

}  // namespace collcast
