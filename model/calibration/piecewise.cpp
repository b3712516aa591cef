// SPDX-License-Identifier: Apache-2.0
#include "model/calibration/piecewise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace collcast {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// The sizes at which pieces may begin, and the cost of each piece between two of them.
class Segmentation {
 public:
  Segmentation(const std::vector<Samples>& curves, const PiecewiseOptions& options)
      : curves_(curves),
        options_(options),
        starts_(possible_starts()),
        cost_(starts_.size() * starts_.size()) {
    for (const Samples& curve : curves) total_ += static_cast<double>(curve.size());
    for (std::size_t i = 0; i + 1 < starts_.size(); ++i)
      for (std::size_t j = i + 1; j < starts_.size(); ++j) cost_[i * starts_.size() + j] = cost(i, j);
  }

  /// The starts of the best number of pieces.
  std::vector<Bytes> best() const {
    const std::size_t ends = starts_.size();
    std::vector<double> least(ends, infinite);
    least[0] = 0;
    std::vector<std::vector<std::size_t>> before;
    double best_score = infinite;
    std::vector<Bytes> best_starts;
    for (int pieces = 1; pieces <= options_.most_pieces; ++pieces) {
      before.emplace_back(ends, 0);
      least = extended(least, before.back());
      if (least.back() == infinite) continue;
      const double score = bic(least.back(), pieces);
      if (score >= best_score) continue;
      best_score = score;
      best_starts = traced(before);
    }
    return best_starts;
  }

 private:
  /// Every measured size, or a selection of very many. The last entry is beyond all sizes.
  std::vector<Bytes> possible_starts() const {
    constexpr std::size_t most = 48;
    std::set<Bytes> sizes;
    for (const Samples& curve : curves_)
      for (const Sample& s : curve) sizes.insert(s.message);
    const std::vector<Bytes> all(sizes.begin(), sizes.end());
    std::vector<Bytes> some;
    for (std::size_t i = 0; i < std::min(all.size(), most); ++i)
      some.push_back(all[all.size() <= most ? i : i * all.size() / most]);
    some.push_back(Bytes(infinite));
    return some;
  }

  double cost(std::size_t i, std::size_t j) const {
    const Bytes cache_line(64);
    const std::size_t sizes = j - i, first = starts_[0] == Bytes(0) ? 1 : 0;
    const bool few = i < first ? sizes > 1 && sizes < 5 : sizes < 2;
    if (few && sizes + 1 < starts_.size()) return infinite;
    if (i > first && starts_[i] < cache_line) return infinite;
    double sum = 0;
    for (const Samples& curve : curves_) {
      const Samples inside = within(curve, starts_[i], starts_[j]);
      if (inside.empty()) continue;
      const Line line = least_absolute(inside);
      for (const Sample& s : inside) sum += std::abs(residual(line, s));
    }
    return sum;
  }

  std::vector<double> extended(const std::vector<double>& least, std::vector<std::size_t>& before) const {
    const std::size_t ends = starts_.size();
    std::vector<double> longer(ends, infinite);
    for (std::size_t j = 1; j < ends; ++j)
      for (std::size_t i = 0; i < j; ++i) {
        const double sum = least[i] + cost_[i * ends + j];
        if (sum < longer[j]) longer[j] = sum, before[j] = i;
      }
    return longer;
  }

  /// Laplace likelihood, its scale estimated from the degrees of freedom that are left; each piece costs a
  /// line per curve, and a switch point.
  double bic(double residuals, int pieces) const {
    const double parameters = (2.0 * static_cast<double>(curves_.size()) + 1) * pieces - 1;
    if (pieces > 1 && parameters >= total_) return infinite;
    const double scale = std::max(residuals / std::max(total_ - parameters, 1.0), options_.least_noise);
    return 2 * total_ * std::log(scale) + parameters * std::log(total_);
  }

  std::vector<Bytes> traced(const std::vector<std::vector<std::size_t>>& before) const {
    std::vector<Bytes> found;
    std::size_t at = starts_.size() - 1;
    for (auto round = before.rbegin(); round != before.rend(); ++round) {
      at = (*round)[at];
      found.push_back(starts_[at]);
    }
    std::ranges::reverse(found);
    return found;
  }

  static Samples within(const Samples& curve, Bytes from, Bytes until) {
    Samples inside;
    for (const Sample& s : curve)
      if (s.message >= from && s.message < until) inside.push_back(s);
    return inside;
  }

  const std::vector<Samples>& curves_;
  const PiecewiseOptions& options_;
  std::vector<Bytes> starts_;
  std::vector<double> cost_;  ///< cost_[i * starts + j]: of the piece from start i to start j
  double total_ = 0;
};

/// The samples of one curve in the pieces that begin at `starts`.
std::vector<Samples> divided(const Samples& curve, const std::vector<Bytes>& starts) {
  std::vector<Samples> pieces(starts.size());
  for (const Sample& s : curve) {
    const auto after = std::ranges::upper_bound(starts, s.message);
    pieces[static_cast<std::size_t>(after - starts.begin()) - 1].push_back(s);
  }
  return pieces;
}

/// Standard deviation of normal noise, from the median of residuals. The two smallest residuals of each piece
/// do not count, as a line passes through two samples.
double noise_of(const std::vector<std::vector<Samples>>& curves, double least) {
  std::vector<double> all;
  for (const auto& pieces : curves)
    for (const Samples& samples : pieces) {
      if (samples.size() < 3) continue;
      const Line line = least_absolute(samples);
      std::vector<double> left;
      for (const Sample& s : samples) left.push_back(std::abs(residual(line, s)));
      std::ranges::partial_sort(left, left.begin() + 2);
      all.insert(all.end(), left.begin() + 2, left.end());
    }
  if (all.empty()) return least;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  return std::max(least, 1.4826 * *middle);
}

/// The size at which two pieces meet: where the first curve's lines cross if that is between the measured
/// sizes, else the larger of these.
Bytes meeting(const Piece& before, const Piece& after) {
  const Line &a = before.lines[0], &b = after.lines[0];
  const double slopes = a.per_byte.value.value - b.per_byte.value.value;
  if (before.samples[0] < 2 || after.samples[0] < 2 || slopes == 0) return after.first;
  const Bytes crossing((b.at_zero.value.value - a.at_zero.value.value) / slopes);
  return crossing > before.last && crossing < after.first ? Bytes(std::ceil(crossing.value)) : after.first;
}

void measure(const std::vector<Samples>& curves, PiecewiseFit& fit) {
  double sum = 0, count = 0;
  for (std::size_t c = 0; c < curves.size(); ++c)
    for (const Sample& s : curves[c]) {
      const double off = residual(fit.at(s.message).lines[c], s);
      sum += std::abs(off);
      ++count;
      if (std::abs(off) > std::max(6 * fit.noise, 0.1)) fit.outliers.push_back({c, s, off});
    }
  fit.mean_residual = sum / count;
}

}  // namespace

const Piece& PiecewiseFit::at(Bytes n) const {
  const auto after = std::ranges::upper_bound(pieces, n, {}, &Piece::from);
  return after == pieces.begin() ? pieces.front() : *std::prev(after);
}

Seconds PiecewiseFit::time(std::size_t curve, Bytes n) const {
  return at(n).lines[curve](n);
}

PiecewiseFit fit_pieces(const std::vector<Samples>& curves, const PiecewiseOptions& options) {
  const std::vector<Bytes> starts = Segmentation(curves, options).best();
  std::vector<std::vector<Samples>> samples;
  for (const Samples& curve : curves) samples.push_back(divided(curve, starts));
  PiecewiseFit fit;
  fit.noise = noise_of(samples, options.least_noise);
  for (std::size_t p = 0; p < starts.size(); ++p) {
    Piece piece{starts[p], starts[p], starts[p], {}, {}};
    for (const auto& curve : samples) {
      piece.samples.push_back(static_cast<int>(curve[p].size()));
      piece.lines.push_back(curve[p].empty() ? Line{} : robust_line(curve[p], fit.noise));
      for (const Sample& s : curve[p]) piece.last = std::max(piece.last, s.message);
    }
    if (p == 0) piece.from = Bytes(0);
    if (p > 0) piece.from = meeting(fit.pieces.back(), piece);
    fit.pieces.push_back(piece);
  }
  measure(curves, fit);
  return fit;
}

}  // namespace collcast
