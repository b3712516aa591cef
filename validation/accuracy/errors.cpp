// SPDX-License-Identifier: Apache-2.0
#include "validation/accuracy/errors.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

namespace collcast::accuracy {

Errors errors(const std::vector<Pair>& pairs) {
  constexpr double least = 1e-3;
  Errors e;
  if (pairs.empty()) return e;
  double absolute = 0, factors = 0, logs = 0, widths = 0;
  for (const Pair& p : pairs) {
    const double error = p.error();
    absolute += std::abs(error);
    factors += std::abs(std::log(1 + error));
    logs += std::log(std::max(std::abs(error), least));
    e.inside += p.inside();
    widths += std::log(p.high / p.low);
    if (std::abs(error) > std::abs(e.worst)) e.worst = error;
  }
  const auto n = static_cast<double>(pairs.size());
  e.points = pairs.size();
  e.mean_absolute = absolute / n;
  e.mean_factor = std::exp(factors / n) - 1;
  e.geometric_mean = std::exp(logs / n);
  e.width = std::exp(widths / n);
  return e;
}

std::pair<double, double> limits(std::size_t inside, std::size_t points) {
  using Binomial = boost::math::binomial_distribution<>;
  constexpr double each_side = 0.025;
  const auto n = static_cast<double>(points), k = static_cast<double>(inside);
  return {Binomial::find_lower_bound_on_p(n, k, each_side), Binomial::find_upper_bound_on_p(n, k, each_side)};
}

}  // namespace collcast::accuracy
