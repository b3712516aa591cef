// SPDX-License-Identifier: Apache-2.0
#include "validation/accuracy/errors.hpp"

#include <algorithm>
#include <cmath>

namespace collcast::accuracy {

Errors errors(const std::vector<Pair>& pairs) {
  constexpr double least = 1e-3;
  Errors e;
  if (pairs.empty()) return e;
  double absolute = 0, factors = 0, logs = 0, inside = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double error = pairs[i].error();
    absolute += std::abs(error);
    factors += std::abs(std::log(1 + error));
    logs += std::log(std::max(std::abs(error), least));
    inside += pairs[i].inside();
    if (std::abs(error) > std::abs(e.worst)) e.worst = error, e.worst_at = i;
  }
  const auto n = static_cast<double>(pairs.size());
  e.points = pairs.size();
  e.mean_absolute = absolute / n;
  e.geometric_mean = std::exp(factors / n) - 1;
  e.geometric_mean_of_errors = std::exp(logs / n);
  e.inside_interval = inside / n;
  return e;
}

}  // namespace collcast::accuracy
