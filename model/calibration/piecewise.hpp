// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/calibration/line.hpp"

namespace collcast {

/// Sizes from `from` on that follow one line per curve, until the next piece.
struct Piece {
  Bytes from;                ///< 0 for the first
  Bytes first, last;         ///< the smallest and largest size that was measured in it
  std::vector<Line> lines;   ///< of each curve; all 0 where a curve has no sample here
  std::vector<int> samples;  ///< of each curve
};

/// Curves over the message size that bend and jump at the same sizes: several tables of one path.
struct PiecewiseFit {
  std::vector<Piece> pieces;
  double noise = 0;          ///< relative deviation of one sample
  double mean_residual = 0;  ///< absolute, relative; all samples
  struct Outlier {
    std::size_t curve;
    Sample sample;
    double residual;
  };
  std::vector<Outlier> outliers;  ///< far outside the noise; they had next to no weight

  const Piece& at(Bytes n) const;
  Seconds time(std::size_t curve, Bytes n) const;
};

struct PiecewiseOptions {
  int most_pieces = 10;
  /// No table is trusted to a smaller relative deviation: a second run differs by more.
  double least_noise = 0.005;
};

/// Finds where the protocol switches and the line of each piece. The switch points are those of least
/// absolute relative residuals for their number (dynamic programming: Bellman & Roth, JASA 64 (1969)), their
/// number is that of least BIC for Laplace noise. Pieces hold two sizes or more, and none begins within a
/// cache line but at its first size; the empty message may be on its own, or is one of five. Each curve needs
/// a sample; times are above 0.
PiecewiseFit fit_pieces(const std::vector<Samples>& curves, const PiecewiseOptions& options = {});

}  // namespace collcast
