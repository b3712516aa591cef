// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "model/calibration/point_to_point.hpp"
#include "model/calibration/star.hpp"
#include "platforms/description/description.hpp"
#include "validation/calibration/paths.hpp"

namespace collcast {

/// How many pairs a node's NICs share.
int pairs_per_node(const Measurement& measurement);

/// What was measured of messages that keep each other waiting: stars, and windows of one pair, of several,
/// and both ways; pairs that share a NIC of the platform. Empty where that is no more than one pair's
/// windows, or where no half round trip is known.
std::vector<Star> concurrent_messages(const Description& platform, const PathMeasurements& tables,
                                      const PathFit& fit);

}  // namespace collcast
