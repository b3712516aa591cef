// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/repetitions.hpp"

#include <algorithm>
#include <cmath>

namespace collcast::mpi {
namespace {

/// The k for which the sorted values k and n - 1 - k, counted from 0, enclose the median with 95 % confidence
/// or more, by the binomial distribution.
std::size_t lower_confidence_index(std::size_t n) {
  constexpr double tail = 0.025, quantile = 1.96;
  if (n > 200)
    return n / 2 - static_cast<std::size_t>(std::ceil(quantile / 2 * std::sqrt(static_cast<double>(n))));
  double sum = 0, term = std::pow(0.5, static_cast<double>(n));
  std::size_t k = 0;
  for (; k < n / 2; ++k) {
    sum += term;
    if (sum > tail) break;
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  return k == 0 ? 0 : k - 1;
}

}  // namespace

double median_of_sorted(const std::vector<double>& values) {
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double Times::median() const {
  return median_of_sorted(seconds);
}

std::pair<double, double> Times::interval() const {
  const std::size_t k = lower_confidence_index(seconds.size());
  return {seconds[k], seconds[seconds.size() - 1 - k]};
}

int wanted(const Times& times, const Effort& effort, double played) {
  const auto done = static_cast<int>(times.seconds.size());
  if (done < effort.least) return effort.least - done;
  if (done >= effort.most || played >= effort.limit) return 0;
  const auto [low, high] = times.interval();
  if (high - low <= effort.interval * times.median()) return 0;
  return std::min(effort.most - done, std::max(1, done / 4));
}

}  // namespace collcast::mpi
