// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/calibration/line.hpp"

namespace collcast {

/// The sizes from `from` to the next piece, in which each curve is a line.
struct Piece {
  Bytes from;                ///< 0 for the first
  Bytes first, last;         ///< the smallest and the largest size measured in it
  std::vector<Line> lines;   ///< by curve; 0 if the curve has no sample here
  std::vector<int> samples;  ///< by curve: how many it has here
};

/// Curves over the message size that bend or jump at the same sizes, as several tables of one path do.
struct PiecewiseFit {
  std::vector<Piece> pieces;
  double noise = 0;          ///< relative standard deviation of one sample
  double mean_residual = 0;  ///< mean absolute relative residual of all samples
  struct Outlier {
    std::size_t curve;
    Sample sample;
    double residual;
  };
  std::vector<Outlier> outliers;  ///< samples far outside the noise, which had next to no weight

  const Piece& at(Bytes n) const;
  Seconds time(std::size_t curve, Bytes n) const;
};

struct PiecewiseOptions {
  int most_pieces = 10;
  /// The least relative deviation assumed of a table, as a second run differs by that much.
  double least_noise = 0.005;
};

/// Finds the sizes at which the protocol switches and the line of each piece between them. For each number of
/// pieces the switch points minimise the absolute relative residuals (dynamic programming: Bellman & Roth,
/// JASA 64 (1969)); the number minimises the BIC for Laplace noise. A piece holds at least two sizes and does
/// not begin in the middle of a cache line. The empty message may be a piece of its own; otherwise its piece
/// has at least five sizes. Each curve needs a sample; times are above 0.
PiecewiseFit fit_pieces(const std::vector<Samples>& curves, const PiecewiseOptions& options = {});

}  // namespace collcast
