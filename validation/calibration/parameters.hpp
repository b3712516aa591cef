// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "model/calibration/point_to_point.hpp"
#include "model/calibration/star.hpp"
#include "platforms/description/description.hpp"
#include "support/json.hpp"
#include "validation/calibration/paths.hpp"

namespace collcast {

/// What the links of a path cost without software.
struct Hardware {
  Seconds latency;
  SecondsPerByte per_byte;
};

/// The software costs of a path in the base.
struct BaseSoftware {
  Json costs = Json::object();
  bool eager = true;  ///< messages as long as the longest measured half round trip are eager
};

/// By so much (relative) medians differ between runs on the same machine.
constexpr double between_runs = 0.02;

/// A calibrated parameter, rounded to four digits. The interval is two standard deviations below and above,
/// with the 2 % between runs among them.
Json calibrated(double value, double deviation, const std::string& source);

/// A calibrated bandwidth. It is above 0 however much tables scatter: its interval is within a factor of two.
Json calibrated_rate(double value, double deviation, const std::string& source);

/// A parameter with an interval of its own.
Json calibrated_within(double value, double low, double high, const std::string& source);

/// The software costs of a path, with pieces and protocol, that together with links of `hardware` give the
/// fitted times. Overheads and gap come from `star_fit`; undetermined ones are left to the base unless they
/// were lowered. Without `star_fit`, overheads are as large as the gap between messages allows, and at most
/// half of the time that links leave. What was not determined stays as in the base.
Json software_costs(const PathFit& fit, const std::optional<StarFit>& star_fit, const Hardware& hardware,
                    const BaseSoftware& base, const std::string& source);

/// The keys of the costs in a platform: {"between_nodes", "host_to_device"}.
std::pair<std::string, std::string> software_keys(const Path& path);

}  // namespace collcast
