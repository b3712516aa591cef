// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "model/units.hpp"

namespace collcast::accuracy {

/// A prediction with its interval, and what was measured.
struct Pair {
  Seconds predicted, low, high, measured;

  /// Signed and relative: (predicted - measured) / measured.
  double error() const { return (predicted - measured) / measured; }
  bool inside() const { return low <= measured && measured <= high; }
};

/// The errors of predictions.
struct Errors {
  std::size_t points = 0;
  double mean_absolute = 0;
  /// exp(mean |ln(predicted / measured)|) - 1: the mean factor by which predictions are off, in either
  /// direction.
  double mean_factor = 0;
  /// exp(mean ln |error|), the geometric mean error of papers; an error counts as 0.1 % at least. It hides
  /// large errors if only some points have them.
  double geometric_mean = 0;
  double worst = 0;        ///< signed
  std::size_t inside = 0;  ///< how many measurements lie in the prediction's interval
  double width = 1;        ///< geometric mean of high / low

  double inside_interval() const {
    return points ? static_cast<double>(inside) / static_cast<double>(points) : 0;
  }
};

/// The 95 % confidence interval of the share of measurements in their intervals, if `inside` of `points`
/// independent points were (Clopper and Pearson).
std::pair<double, double> limits(std::size_t inside, std::size_t points);

/// The errors of these pairs; all zero for no pairs.
Errors errors(const std::vector<Pair>& pairs);

}  // namespace collcast::accuracy
