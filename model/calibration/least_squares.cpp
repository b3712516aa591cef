// SPDX-License-Identifier: Apache-2.0
#include "model/calibration/least_squares.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

namespace collcast {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double huber = 1.345;  // 95 % as efficient as least squares where errors are normal
constexpr double least_noise = 0.01, derivative_step = 1e-3;

/// Finds the most likely x, none below `least`. `values` turns x into the parameters of the model.
class Fitter {
 public:
  struct Fit {
    VectorXd x, deviations;
    double noise, unlikely;
  };
  using Values = std::vector<double> (*)(const VectorXd& x, const VectorXd& units);

  Fitter(const LogErrors& errors, Values values, VectorXd units, VectorXd expected,
         const VectorXd& deviations, double least)
      : errors_(errors),
        values_(values),
        n_(expected.size()),
        units_(std::move(units)),
        expected_(std::move(expected)),
        precision_(deviations.cwiseAbs2().cwiseInverse()),
        least_(least) {}

  Fit run(VectorXd x) {
    for (int round = 0; round < 8; ++round) descend(x, spread(at(x)));
    const double noise = spread(at(x));
    return {x, deviations(normal(x, noise).information), noise, unlikely(x, noise) + log_of(noise)};
  }

 private:
  /// A deviation is never more than the prior's, even if the inverse of a nearly singular matrix is mere
  /// rounding.
  VectorXd deviations(const MatrixXd& information) const {
    const VectorXd variance = information.inverse().diagonal();
    VectorXd all(n_);
    for (Eigen::Index i = 0; i < n_; ++i) {
      const double most = 1 / precision_[i];
      all[i] = std::sqrt(variance[i] > 0 && variance[i] < most ? variance[i] : most);
    }
    return all;
  }

  VectorXd at(const VectorXd& x) const {
    const std::vector<double> e = errors_(values_(x, units_));
    return Eigen::Map<const VectorXd>(e.data(), static_cast<Eigen::Index>(e.size()));
  }
  double log_of(double noise) const { return static_cast<double>(at(expected_).size()) * std::log(noise); }

  static double spread(const VectorXd& errors) {
    std::vector<double> sizes;
    for (const double e : errors) sizes.push_back(std::abs(e));
    if (sizes.empty()) return least_noise;
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::ranges::nth_element(sizes, middle);
    return std::max(least_noise, 1.4826 * *middle);
  }

  /// Minus the logarithm of the likelihood.
  double unlikely(const VectorXd& x, double noise) const {
    double sum = 0.5 * (x - expected_).cwiseAbs2().dot(precision_);
    for (const double e : at(x)) {
      const double z = std::abs(e) / noise;
      sum += z <= huber ? 0.5 * z * z : huber * (z - 0.5 * huber);
    }
    return sum;
  }

  MatrixXd derivatives(const VectorXd& x) const {
    MatrixXd j;
    for (Eigen::Index i = 0; i < n_; ++i) {
      VectorXd more = x, less = x;
      more[i] += derivative_step, less[i] = std::max(less[i] - derivative_step, least_);
      const VectorXd above = at(more), below = at(less);
      if (above.size() != below.size()) throw std::logic_error("a fit needs the same errors at each step");
      if (i == 0) j.resize(above.size(), n_);
      j.col(i) = (above - below) / (more[i] - less[i]);
    }
    return j;
  }

  struct Normal {
    MatrixXd information;
    VectorXd gradient;
  };
  Normal normal(const VectorXd& x, double noise) const {
    const VectorXd e = at(x);
    const MatrixXd j = derivatives(x);
    VectorXd weights(e.size());
    for (Eigen::Index i = 0; i < e.size(); ++i)
      weights[i] = std::min(1.0, huber * noise / std::max(std::abs(e[i]), 1e-300)) / (noise * noise);
    MatrixXd information = j.transpose() * weights.asDiagonal() * j;
    information.diagonal() += precision_;
    return {std::move(information),
            j.transpose() * weights.cwiseProduct(e) + precision_.cwiseProduct(x - expected_)};
  }

  void descend(VectorXd& x, double noise) const {
    double best = unlikely(x, noise), damping = 1e-3;
    for (int step = 0; step < 20 && damping < 1e8; ++step) {
      const Normal n = normal(x, noise);
      bool better = false;
      for (; !better && damping < 1e8; damping *= better ? 0.1 : 10) {
        MatrixXd damped = n.information;
        damped.diagonal() *= 1 + damping;
        const VectorXd moved = (x - damped.ldlt().solve(n.gradient)).cwiseMax(least_);
        const double now = (moved - x).cwiseAbs().maxCoeff() < 3 ? unlikely(moved, noise) : best;
        better = now < best;
        if (!better) continue;
        const bool done = best - now < 1e-9 * std::abs(best);
        x = moved, best = now;
        if (done) return;
      }
    }
  }

  const LogErrors& errors_;
  Values values_;
  Eigen::Index n_;
  VectorXd units_, expected_, precision_;
  double least_;
};

std::vector<double> list(const VectorXd& x) {
  return {x.begin(), x.end()};
}

template <class Row, class Get>
VectorXd column(const std::vector<Row>& rows, Get get) {
  VectorXd all(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) all[static_cast<Eigen::Index>(i)] = get(rows[i]);
  return all;
}

}  // namespace

LogFit fit_logs(const LogErrors& errors, const std::vector<Prior>& priors) {
  if (priors.empty()) return {};
  const auto exp = [](const VectorXd& x, const VectorXd&) { return list(x.array().exp()); };
  const VectorXd start = column(priors, [](const Prior& p) { return std::log(p.value); });
  const auto fit = Fitter(errors, exp, {}, start, column(priors, std::mem_fn(&Prior::deviation)),
                          -std::numeric_limits<double>::infinity())
                       .run(start);
  return {list(fit.x.array().exp()), list(fit.deviations), fit.noise, fit.unlikely};
}

AmountFit fit_amounts(const LogErrors& errors, const std::vector<Amount>& amounts) {
  if (amounts.empty()) return {};
  // In units of the prior's deviations, so that one damping factor serves all.
  const auto scaled = [](const VectorXd& x, const VectorXd& units) { return list(x.cwiseProduct(units)); };
  const VectorXd units = column(amounts, std::mem_fn(&Amount::deviation));
  const VectorXd expected = column(amounts, [](const Amount& a) { return a.value / a.deviation; });
  const VectorXd start = column(amounts, [](const Amount& a) { return a.start / a.deviation; });
  const auto fit = Fitter(errors, scaled, units, expected, VectorXd::Ones(units.size()), 0).run(start);
  return {list(fit.x.cwiseProduct(units)), list(fit.deviations.cwiseProduct(units)), fit.noise, fit.unlikely};
}

}  // namespace collcast
