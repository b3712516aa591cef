// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/output.hpp"

namespace collcast::cli {

/// The options of `validate --measurements` and `validate --studies`.
struct MeasurementOptions {
  std::string platform, policy = "fastest", studies, data, plot;
  std::vector<std::string> files, set;
  std::optional<double> bound;  ///< on the mean factor
  Format format = Format::table;
};

/// Predicts what published tables measured. Returns the exit code: 1 if the error is above the bound.
int validate_measurements(const MeasurementOptions& options);
/// Prints the accuracy report of all studies.
int validate_studies(const MeasurementOptions& options);

}  // namespace collcast::cli
