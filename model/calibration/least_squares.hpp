// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

namespace collcast {

/// What is taken to be known of a positive parameter before data are seen: a value, and by which factor, as
/// its natural logarithm, it may well be off (one standard deviation).
struct Prior {
  double value = 1, deviation = 1;
};

/// Relative errors of a model, ln(predicted / measured), with these values of its parameters.
using LogErrors = std::function<std::vector<double>(const std::vector<double>& values)>;

struct LogFit {
  std::vector<double> values;
  std::vector<double> deviations;  ///< of the logarithms
  double noise = 0;                ///< of the errors, robust: 1.48 times their median size, 1 % at least
};

/// The most likely values: Gauss-Newton with damping (Levenberg, Marquardt) on logarithms, Huber's weights,
/// numeric derivatives. What the data say nothing of keeps its prior. Throws std::logic_error where the
/// number of errors depends on the values.
LogFit fit_logs(const LogErrors& errors, const std::vector<Prior>& priors);

/// The same of a parameter that may be 0 and is not negative: what is expected, by how much it may well be
/// off (above 0), and where the search begins.
struct Amount {
  double value = 0, deviation = 1, start = 0;
};

struct AmountFit {
  std::vector<double> values, deviations;
  double noise = 0;     ///< as in LogFit
  double unlikely = 0;  ///< minus the logarithm of the likelihood, for comparison with another start
};

/// `fit_logs`, of the parameters instead of their logarithms.
AmountFit fit_amounts(const LogErrors& errors, const std::vector<Amount>& amounts);

}  // namespace collcast
