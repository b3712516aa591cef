// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

namespace collcast {

/// What is known of a positive parameter before any data: its value, and the standard deviation of its
/// natural logarithm.
struct Prior {
  double value = 1, deviation = 1;
};

/// Relative errors of a model, ln(predicted / measured), with these values of its parameters.
using LogErrors = std::function<std::vector<double>(const std::vector<double>& values)>;

struct LogFit {
  std::vector<double> values;
  std::vector<double> deviations;  ///< of the logarithms
  double noise = 0;                ///< of the errors, robust: 1.48 times their median size, 1 % at least
  double unlikely = 0;             ///< negative log-likelihood, to compare fits
};

/// The most likely values, by damped Gauss-Newton (Levenberg-Marquardt) on logarithms with Huber weights and
/// numeric derivatives. A parameter without influence on the data keeps its prior. Throws std::logic_error if
/// the number of errors depends on the values.
LogFit fit_logs(const LogErrors& errors, const std::vector<Prior>& priors);

/// The prior of a parameter that may be 0 but not negative.
struct Amount {
  double value = 0;      ///< expected
  double deviation = 1;  ///< standard deviation, above 0
  double start = 0;      ///< where the search begins
};

struct AmountFit {
  std::vector<double> values, deviations;
  double noise = 0;     ///< as in LogFit
  double unlikely = 0;  ///< negative log-likelihood, to compare fits from different starts
};

/// Like `fit_logs`, but on the parameters themselves instead of their logarithms.
AmountFit fit_amounts(const LogErrors& errors, const std::vector<Amount>& amounts);

}  // namespace collcast
