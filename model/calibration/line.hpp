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

/// A time that grows with the message: at_zero + bytes * per_byte, neither of them negative.
struct Line {
  Estimate<Seconds> at_zero;
  Estimate<SecondsPerByte> per_byte;

  Seconds operator()(Bytes n) const { return at_zero.value + n * per_byte.value; }
};

/// (line - sample) / sample, and nothing where the sample's own rounding explains it.
double residual(const Line& line, const Sample& sample);

/// The line of least absolute relative residuals; no deviations. Robust: up to half of the samples may be
/// wrong. Exact for few samples; of many, lines through some pairs are tried.
Line least_absolute(const Samples& samples);

/// The line of least squares of relative residuals, where residuals beyond 1.345 `noise` weigh less (Huber
/// 1964; iteratively reweighted, from the least absolute one). `noise` is the relative deviation of one
/// sample. No bytes go faster than `least_per_byte`.
Line robust_line(const Samples& samples, double noise, SecondsPerByte least_per_byte = {});

}  // namespace collcast
