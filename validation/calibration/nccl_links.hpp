// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/description/description.hpp"
#include "validation/measurements/measurement.hpp"

namespace collcast {

/// A link whose bandwidth is a guess, and the bandwidth that large messages tell.
struct GuessedLink {
  std::string parameter;
  double before = 0, after = 0, low = 0, high = 0;  ///< [GB/s]; from `low` to `high` all explain them alike
};

/// What the large messages of tables tell of the base's links.
struct LinkFinding {
  std::optional<GuessedLink> moved;  ///< the guess that they determine
  std::string doubt;                 ///< in words, if links and other causes explain them alike; else empty
};

/// A guess moves only if large messages determine it: it alone explains them, the base's channels do not
/// limit them, slower and faster links explain them worse, and the link still drives the network cards behind
/// it, if their bandwidth is known.
LinkFinding find_link(const Description& base, const std::vector<Measurement>& all,
                      const std::string& policy);

}  // namespace collcast
