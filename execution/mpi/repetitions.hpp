// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <utility>
#include <vector>

namespace collcast::mpi {

/// What a number of repetitions took: each from the common start to when the slowest rank was done.
struct Times {
  std::vector<double> seconds;  ///< sorted
  int late = 0;  ///< repetitions that some rank began late, and that no punctual one could replace
  double median() const;
  /// Where the true median lies with 95 % confidence, whatever the distribution: between two order
  /// statistics; from the least to the largest, with less confidence, where there are fewer than six.
  std::pair<double, double> interval() const;
};

/// How often to repeat: `least` times; then until the interval of the median is within `interval` times the
/// median, or there are `most`, or they have lasted `limit` seconds together.
struct Effort {
  int least = 20, most = 20;
  double interval = 0;
  double limit = std::numeric_limits<double>::infinity();
};

/// How many repetitions to add to these, which lasted `played` seconds with those that began late; 0: none.
/// Looks at nothing but what was measured, so that no prediction can have a say in it.
int wanted(const Times& times, const Effort& effort, double played);

double median_of_sorted(const std::vector<double>& values);

}  // namespace collcast::mpi
