// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/calibration/point_to_point.hpp"
#include "model/calibration/star.hpp"
#include "platforms/description/description.hpp"
#include "support/json.hpp"
#include "validation/calibration/paths.hpp"

namespace collcast {

/// The fit of one path, and how well the new platform reproduces its tables.
struct PathReport {
  Path path;
  PathFit fit;
  std::vector<std::string> files;
  std::optional<StarFit> star_fit;  ///< if messages at once were measured, which wait for each other
  std::size_t stars = 0;            ///< number of such measurements
  std::optional<double> latency_error, message_error;  ///< mean absolute relative error
};

/// A parameter of the hardware that the tables determine.
struct HardwareReport {
  std::string parameter, reason;
  double before, after;
};

struct Calibration {
  Json platform;  ///< a platform file: the base, and what was calibrated
  std::vector<PathReport> paths;
  std::vector<HardwareReport> hardware;
  std::vector<std::string> notes;
};

/// Throws InputError if no measurement can calibrate the platform.
void require_calibratable(const Description& base);

/// Fits a platform's parameters to point-to-point tables and leaves the others as they are in `base`.
/// `dates`: when each file was written, for the sources of numbers. Throws InputError.
Calibration calibrate(const Description& base, const std::vector<Measurement>& measurements,
                      const std::map<std::string, std::string>& dates = {},
                      const PiecewiseOptions& options = {});

/// A platform's prediction of a point-to-point measurement. Throws InputError if it has no such path.
Seconds predicted(const Description& platform, const Path& path, const Measurement& measurement);

}  // namespace collcast
