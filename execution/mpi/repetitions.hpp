// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <utility>
#include <vector>

namespace collcast::mpi {

/// The times of some repetitions, each from the common start to the end of the slowest rank.
struct Times {
  std::vector<double> seconds;  ///< sorted
  int late =
      0;  ///< repetitions that some rank began late and that were kept, as no punctual one replaced them
  double median() const;
  /// A 95 % confidence interval of the median for any distribution, between two order statistics. With fewer
  /// than six repetitions it is their range, and the confidence is lower.
  std::pair<double, double> interval() const;
};

/// How often to repeat: at least `least` times, then until the confidence interval of the median is narrower
/// than `interval` times the median, there are `most` repetitions, or they have lasted `limit` seconds in
/// all.
struct Effort {
  int least = 20, most = 20;
  double interval = 0;
  double limit = std::numeric_limits<double>::infinity();
};

/// How many repetitions to add; 0: none. `played`: seconds that all so far lasted, late ones included. The
/// answer depends on measurements alone, so that no prediction can influence it.
int wanted(const Times& times, const Effort& effort, double played);

double median_of_sorted(const std::vector<double>& values);

}  // namespace collcast::mpi
