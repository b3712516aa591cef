// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/calibration/point_to_point.hpp"
#include "model/calibration/star.hpp"
#include "platforms/description/description.hpp"
#include "validation/calibration/paths.hpp"

namespace collcast {

/// How many pairs share a node's NICs.
int pairs_per_node(const Measurement& measurement);

/// The longest message whose time alone was measured.
Bytes longest_lone(const PathMeasurements& tables);

/// Whether it is known how long a message of this size takes alone; without that, messages at once tell
/// nothing. Beyond the `longest` lone message nothing is known.
bool says_together(const Measurement& measurement, const PathFit& fit, Bytes longest);

/// Measurements of messages that wait for each other: stars, and windows of one pair, of several pairs that
/// share a NIC of the platform, and both ways. Empty if there are only windows of one pair, or if no half
/// round trip of such messages is known.
std::vector<Star> concurrent_messages(const Description& platform, const PathMeasurements& tables,
                                      const PathFit& fit);

}  // namespace collcast
