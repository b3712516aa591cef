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

/// How good predictions are.
struct Errors {
  std::size_t points = 0;
  double mean_absolute = 0;
  /// exp(mean |ln(predicted / measured)|) - 1: as a factor is missed, alike in both directions.
  double geometric_mean = 0;
  /// exp(mean ln |error|): what papers call geometric mean error; an error counts as 0.1 % at least. Kind to
  /// tables of which a part is missed by far.
  double geometric_mean_of_errors = 0;
  double worst = 0;          ///< signed
  std::size_t worst_at = 0;  ///< which of the pairs
  std::size_t inside = 0;    ///< of the pairs, their intervals
  double width = 1;          ///< geometric mean of high / low

  double inside_interval() const {
    return points ? static_cast<double>(inside) / static_cast<double>(points) : 0;
  }
};

/// Between which shares of all such pairs an interval holds, where it held `inside` of `points`, at 95 %
/// (Clopper and Pearson); of pairs that are independent.
std::pair<double, double> limits(std::size_t inside, std::size_t points);

/// All zero for no pairs.
Errors errors(const std::vector<Pair>& pairs);

}  // namespace collcast::accuracy
