// SPDX-License-Identifier: Apache-2.0
#include "model/calibration/line.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace collcast {
namespace {

Line plain(double at_zero, double per_byte) {
  return {{Seconds(at_zero), {}}, {SecondsPerByte(per_byte), {}}};
}

double absolute_residuals(const Line& line, const Samples& samples) {
  double sum = 0;
  for (const Sample& s : samples) sum += std::abs(residual(line, s));
  return sum;
}

/// The samples through which lines are tried: all, or an even selection of many.
std::vector<std::size_t> anchors(std::size_t count) {
  constexpr std::size_t most = 16;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < std::min(count, most); ++i)
    all.push_back(count <= most ? i : i * (count - 1) / (most - 1));
  return all;
}

/// Rows of relative residuals: at_zero / t + per_byte * n / t = 1.
struct System {
  Eigen::MatrixX2d rows;
  explicit System(const Samples& samples) : rows(static_cast<Eigen::Index>(samples.size()), 2) {
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      const Sample& s = samples[static_cast<std::size_t>(i)];
      rows.row(i) << 1 / s.time.value, s.message.value / s.time.value;
    }
  }
};

/// Weighted least squares with both unknowns at least `least`.
Eigen::Vector2d solve(const System& system, const Eigen::VectorXd& weights, const Eigen::Vector2d& least) {
  const auto rows = system.rows;
  const auto target = Eigen::VectorXd::Ones(rows.rows());
  const Eigen::Matrix2d normal = rows.transpose() * weights.asDiagonal() * rows;
  const Eigen::Vector2d right = rows.transpose() * weights.asDiagonal() * target;
  const Eigen::Vector2d scale(1 / std::sqrt(std::max(normal(0, 0), 1e-300)),
                              1 / std::sqrt(std::max(normal(1, 1), 1e-300)));
  const Eigen::Matrix2d scaled = scale.asDiagonal() * normal * scale.asDiagonal();
  Eigen::Vector2d free = least;
  if (std::abs(scaled.determinant()) > 1e-9)
    free = scale.asDiagonal() * scaled.ldlt().solve(scale.asDiagonal() * right);
  else
    free(1) = -1;
  for (int bound = 1; bound >= 0; --bound) {
    if (free(bound) >= least(bound)) continue;
    const int other = 1 - bound;
    free(bound) = least(bound);
    free(other) =
        normal(other, other) > 0
            ? std::max(least(other), (right(other) - normal(0, 1) * least(bound)) / normal(other, other))
            : least(other);
  }
  return free;
}

}  // namespace

double residual(const Line& line, const Sample& s) {
  const double relative = (line(s.message) - s.time) / s.time;
  return std::copysign(std::max(0.0, std::abs(relative) - s.rounding), relative);
}

Line least_absolute(const Samples& samples) {
  Line best = plain(samples[0].time.value, 0);
  double least = absolute_residuals(best, samples);
  const auto attempt = [&](double at_zero, double per_byte) {
    if (!(at_zero >= 0) || !(per_byte >= 0)) return;
    const Line line = plain(at_zero, per_byte);
    const double sum = absolute_residuals(line, samples);
    if (sum < least) best = line, least = sum;
  };
  const std::vector<std::size_t> through = anchors(samples.size());
  for (const std::size_t i : through) {
    const double n = samples[i].message.value, t = samples[i].time.value;
    attempt(t, 0);
    if (n > 0) attempt(0, t / n);
    for (const std::size_t j : through) {
      const double dn = samples[j].message.value - n;
      if (dn <= 0) continue;
      const double per_byte = (samples[j].time.value - t) / dn;
      attempt(t - n * per_byte, per_byte);
    }
  }
  return best;
}

Line robust_line(const Samples& samples, double noise, SecondsPerByte least_per_byte) {
  constexpr double huber = 1.345;
  const System system(samples);
  Line line = least_absolute(samples);
  Eigen::VectorXd weights(system.rows.rows());
  for (int round = 0; round < 30; ++round) {
    for (Eigen::Index i = 0; i < weights.size(); ++i) {
      const Sample& s = samples[static_cast<std::size_t>(i)];
      const double deviation = std::hypot(noise, s.rounding / std::sqrt(3.0));
      const double off = std::abs(residual(line, s)) / deviation;
      weights(i) = (off > huber ? huber / off : 1) / (deviation * deviation);
    }
    const Eigen::Vector2d found = solve(system, weights, {0, least_per_byte.value});
    line = plain(found(0), found(1));
  }
  const Eigen::Matrix2d information = system.rows.transpose() * weights.asDiagonal() * system.rows;
  // Per unit of each unknown's own scale, so that bytes and seconds do not spoil the inverse.
  const Eigen::Vector2d scale(1 / std::sqrt(std::max(information(0, 0), 1e-300)),
                              1 / std::sqrt(std::max(information(1, 1), 1e-300)));
  const Eigen::Matrix2d scaled = scale.asDiagonal() * information * scale.asDiagonal();
  const bool both = std::abs(scaled.determinant()) > 1e-9;
  const Eigen::Matrix2d covariance = both ? Eigen::Matrix2d(scaled.inverse()) : Eigen::Matrix2d::Identity();
  line.at_zero.deviation = Seconds(scale(0) * std::sqrt(covariance(0, 0)));
  line.per_byte.deviation = SecondsPerByte(scale(1) * std::sqrt(covariance(1, 1)));
  return line;
}

}  // namespace collcast
