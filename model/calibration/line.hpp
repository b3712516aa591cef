// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/units.hpp"

namespace collcast {

/// A measured time.
struct Sample {
  Bytes message;
  Seconds time;
  double rounding = 0;  ///< relative: half a unit of the last printed digit
};
using Samples = std::vector<Sample>;

/// A number and its standard deviation.
template <class Quantity>
struct Estimate {
  Quantity value, deviation;
};

/// A time that is linear in the message size: at_zero + bytes * per_byte, neither of them negative.
struct Line {
  Estimate<Seconds> at_zero;
  Estimate<SecondsPerByte> per_byte;

  Seconds operator()(Bytes n) const { return at_zero.value + n * per_byte.value; }
};

/// (line - sample) / sample, or 0 if the rounding of the printed sample explains the difference.
double residual(const Line& line, const Sample& sample);

/// The line of least absolute relative residuals, without deviations. Up to half of the samples may be wrong.
/// Exact for few samples; with many, lines through some pairs of them are tried.
Line least_absolute(const Samples& samples);

/// The line of least squares of relative residuals, iteratively reweighted from `least_absolute` so that
/// residuals beyond 1.345 `noise` count less (Huber 1964). `noise`: relative standard deviation of one
/// sample. `per_byte` is at least `least_per_byte`.
Line robust_line(const Samples& samples, double noise, SecondsPerByte least_per_byte = {});

}  // namespace collcast
