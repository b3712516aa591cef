// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace collcast::workloads {

/// Steps that a model takes to an accuracy, by the samples of all replicas in a step: somebody's experience.
struct Convergence {
  struct Point {
    double batch, steps;
  };
  std::vector<Point> points;  ///< by batch, ascending

  /// Between points by powers; nothing outside them.
  std::optional<double> steps(double batch) const;
};

/// A table with the header "batch,steps"; `file` is what errors name. Throws InputError.
Convergence parse_convergence(const std::string& csv, const std::string& file);

}  // namespace collcast::workloads
