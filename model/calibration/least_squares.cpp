// SPDX-License-Identifier: Apache-2.0
#include "model/calibration/least_squares.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace collcast {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double huber = 1.345;  // 95 % as efficient as least squares where errors are normal
constexpr double least_noise = 0.01, derivative_step = 1e-3;

class Fitter {
 public:
  Fitter(const LogErrors& errors, const std::vector<Prior>& priors)
      : errors_(errors), n_(static_cast<Eigen::Index>(priors.size())), start_(n_), precision_(n_) {
    for (Eigen::Index i = 0; i < n_; ++i) {
      const Prior& p = priors[static_cast<std::size_t>(i)];
      start_[i] = std::log(p.value);
      precision_[i] = 1 / (p.deviation * p.deviation);
    }
  }

  LogFit run() {
    VectorXd x = start_;
    double noise = 0;
    for (int round = 0; round < 8; ++round) {
      noise = spread(at(x));
      descend(x, noise);
    }
    return answer(x, spread(at(x)));
  }

 private:
  VectorXd at(const VectorXd& x) const {
    const std::vector<double> e = errors_(values(x));
    return Eigen::Map<const VectorXd>(e.data(), static_cast<Eigen::Index>(e.size()));
  }
  std::vector<double> values(const VectorXd& x) const {
    std::vector<double> all;
    for (const double log : x) all.push_back(std::exp(log));
    return all;
  }

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
    double sum = 0.5 * (x - start_).cwiseAbs2().dot(precision_);
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
      more[i] += derivative_step, less[i] -= derivative_step;
      const VectorXd above = at(more), below = at(less);
      if (above.size() != below.size()) throw std::logic_error("a fit needs the same errors at each step");
      if (i == 0) j.resize(above.size(), n_);
      j.col(i) = (above - below) / (2 * derivative_step);
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
            j.transpose() * weights.cwiseProduct(e) + precision_.cwiseProduct(x - start_)};
  }

  void descend(VectorXd& x, double noise) const {
    double best = unlikely(x, noise), damping = 1e-3;
    for (int step = 0; step < 20 && damping < 1e8; ++step) {
      const Normal n = normal(x, noise);
      bool better = false;
      for (; !better && damping < 1e8; damping *= better ? 0.1 : 10) {
        MatrixXd damped = n.information;
        damped.diagonal() *= 1 + damping;
        const VectorXd moved = x - damped.ldlt().solve(n.gradient);
        const double now = (moved - x).cwiseAbs().maxCoeff() < 3 ? unlikely(moved, noise) : best;
        better = now < best;
        if (!better) continue;
        const bool done = best - now < 1e-9 * std::abs(best);
        x = moved, best = now;
        if (done) return;
      }
    }
  }

  LogFit answer(const VectorXd& x, double noise) const {
    const MatrixXd covariance = normal(x, noise).information.inverse();
    LogFit fit{values(x), {}, noise};
    for (Eigen::Index i = 0; i < n_; ++i) fit.deviations.push_back(std::sqrt(covariance(i, i)));
    return fit;
  }

  const LogErrors& errors_;
  Eigen::Index n_;
  VectorXd start_, precision_;
};

}  // namespace

LogFit fit_logs(const LogErrors& errors, const std::vector<Prior>& priors) {
  if (priors.empty()) return {};
  return Fitter(errors, priors).run();
}

}  // namespace collcast
