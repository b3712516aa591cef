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

/// What the links of a path cost by themselves.
struct Hardware {
  Seconds latency;
  SecondsPerByte per_byte;
};

/// The software costs of a path in the base.
struct BaseSoftware {
  Json costs = Json::object();
  bool eager = true;  ///< messages of the longest half round trip that was measured
};

/// Another run on the same machine: medians of runs differ by so much.
constexpr double between_runs = 0.02;

/// A calibrated parameter, rounded to four digits. The interval is two standard deviations either way, and
/// those of another run, 2 %, are among them.
Json calibrated(double value, double deviation, const std::string& source);

/// A bandwidth is above 0 however much tables scatter: within a factor of two.
Json calibrated_rate(double value, double deviation, const std::string& source);

/// A parameter with an interval of its own.
Json calibrated_within(double value, double low, double high, const std::string& source);

/// The software costs of a path, pieces and protocol included, that make links of `hardware` do what was
/// fitted. Overheads and gap are those of `together`, of which the undetermined are left to the base unless
/// they were lowered; without it overheads are as large as the gap between messages allows, and at most half
/// of what the links leave. What was not determined stays as it is in the base.
Json software_costs(const PathFit& fit, const std::optional<StarFit>& together, const Hardware& hardware,
                    const BaseSoftware& base, const std::string& source);

/// Where the costs belong: {"between_nodes", "host_to_device"}.
std::pair<std::string, std::string> software_keys(const Path& path);

}  // namespace collcast
