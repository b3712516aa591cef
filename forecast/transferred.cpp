// SPDX-License-Identifier: Apache-2.0
#include "forecast/transferred.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <tuple>

namespace collcast {
namespace {

/// A forecast compared with one calibration: whether it is outside, and how far off it may be (a logarithm).
struct Beside {
  bool outside;
  double spread;
};

constexpr double each_side = 0.95;  // quantile of each end of an interval that holds 90 %

double normal() {
  return quantile(boost::math::normal(), each_side);
}

double doublings(const CalibratedOn::Range& range, double x) {
  const auto least = static_cast<double>(range.least), most = static_cast<double>(range.most);
  if (x < least) return std::log2(least / std::max(x, 1.0));
  return x > most ? std::log2(x / most) : 0;
}

/// How far off forecasts of another table may be (a logarithm). With a single table it is a guess.
double another_table(const CalibratedOn& c) {
  if (c.tables < 2) return std::log1p(uncertainty(Stamp::guess));
  const double t = quantile(boost::math::students_t(c.tables - 1), each_side);
  return std::hypot(t * c.between_tables * std::sqrt(1 + 1.0 / c.tables), normal() * c.within_tables);
}

Beside beside(const CalibratedOn& c, const Prediction& p) {
  const std::string_view collective = definition(p.algorithm->collective).name;
  const double ranks = doublings(c.ranks, p.call.ranks);
  const double beyond = ranks + doublings(c.message, p.call.message.value);
  const bool new_table = std::ranges::find(c.collectives, collective) == c.collectives.end() || ranks > 0;
  const double each = std::log1p(uncertainty(Stamp::calibrated));
  return {new_table || beyond > 0,
          std::hypot(new_table ? another_table(c) : normal() * c.within_tables, each * std::sqrt(beyond))};
}

bool sent_by(const std::string& transport, const std::string& name) {
  return name == transport || name.starts_with(transport + ":");
}

}  // namespace

Prediction within(const std::vector<CalibratedOn>& calibrated, Prediction p) {
  if (calibrated.empty()) return p;
  p.transferred = true;
  std::optional<Beside> nearest;
  for (const CalibratedOn& c : calibrated) {
    if (!sent_by(c.transport, p.transport)) continue;
    const Beside b = beside(c, p);
    if (!nearest || std::tie(b.outside, b.spread) < std::tie(nearest->outside, nearest->spread)) nearest = b;
  }
  if (!nearest) return p;
  p.transferred = nearest->outside;
  const double factor = std::exp(nearest->spread);
  p.low = std::min(p.low, p.time / factor);
  p.high = std::max(p.high, p.time * factor);
  return p;
}

}  // namespace collcast
