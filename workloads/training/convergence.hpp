// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace collcast::workloads {

/// The number of steps that a model takes to an accuracy, by the samples of all replicas in a step. From
/// observations.
struct Convergence {
  struct Point {
    double batch, steps;
  };
  std::vector<Point> points;  ///< by batch, ascending

  /// The steps for a batch, interpolated between points as a power law; none outside the points.
  std::optional<double> steps(double batch) const;
};

/// Reads a table with the header "batch,steps". Throws InputError, which names `file`.
Convergence parse_convergence(const std::string& csv, const std::string& file);

}  // namespace collcast::workloads
