// SPDX-License-Identifier: Apache-2.0
#include "forecast/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

#include "libraries/nccl/constants.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

constexpr double step = 0.01;

/// A parameter of the platform, or a constant of NCCL that the platform does not state; such a constant's
/// value counts as 1.
struct Moving : Parameter {
  std::optional<nccl::Constant> constant = {};
};

std::vector<Moving> parameters_of(const Description& platform) {
  std::vector<Moving> all;
  for (const Parameter& p : platform.parameters())
    if (p.value != 0) all.push_back({p});
  return all;
}

std::vector<Moving> constants_beside(const Description& platform) {
  const std::vector<Parameter> stated = platform.parameters();
  std::vector<Moving> all;
  for (const nccl::Constant& c : nccl::constants()) {
    const std::string key = nccl::key_of(c);
    if (std::ranges::find(stated, key, &Parameter::path) != stated.end()) continue;
    Moving& m = all.emplace_back();
    m.path = key, m.value = 1, m.unit = key.substr(key.rfind('_') + 1);
    m.constant = c;
  }
  return all;
}

/// The times, with their sum at the end.
std::vector<Seconds> with_sum(std::vector<Seconds> times) {
  times.push_back(std::accumulate(times.begin(), times.end(), Seconds()));
  return times;
}

class Differences {
 public:
  Differences(const Description& platform, const TimesOn& times)
      : platform_(platform), times_(times), now_(with_sum(times(platform))), found_(now_.size()) {}

  std::vector<std::vector<Elasticity>> of(const std::vector<Moving>& parameters,
                                          const std::vector<Moving>& constants) && {
    look(parameters), look(constants);
    for (std::vector<Elasticity>& row : found_)
      std::ranges::stable_sort(row, std::ranges::greater{},
                               [](const Elasticity& e) { return std::abs(e.elasticity); });
    return std::move(found_);
  }

 private:
  /// The value a step away at which messages mostly take longer, or less long. A share is at most 1.
  static double shifted(const Parameter& p, bool slower) {
    const bool better_more = p.unit == "GBps" || p.unit == "TFLOPS" || p.unit == "KiB" || p.unit == "GiB";
    const double value = p.value * (slower != better_more ? 1 + step : 1 - step);
    return p.unit == "share" ? std::min(value, 1.0) : value;
  }

  /// The times with all parameters shifted; none if the platform cannot take that, or after an interrupt.
  std::optional<std::vector<Seconds>> all(std::span<const Moving> parameters, bool slower) const try {
    std::vector<std::pair<std::string, double>> values;
    std::vector<nccl::Constant> less, more;
    for (const Moving& p : parameters) {
      const double value = shifted(p, slower);
      if (p.constant)
        (value < 1 ? less : more).push_back(*p.constant);
      else
        values.emplace_back(p.path, value);
    }
    const nccl::Scaled lower(std::move(less), 1 - step), higher(std::move(more), 1 + step);
    std::vector<Seconds> times = with_sum(times_(with_values(platform_, values)));
    if (times.size() != now_.size()) return {};
    return times;
  } catch (const InputError&) {
    return {};
  }

  /// Looks at parameters together first: if no time moves with all of them slower, nor with all of them
  /// faster, no single one moves a time. Both sides are tried, as at a limit only one side may move.
  void look(std::span<const Moving> parameters) {
    if (parameters.empty()) return;
    const bool one = parameters.size() == 1;
    const auto slower = all(parameters, true);
    const bool moves = !slower || moved(now_, *slower);
    const auto faster = one || !moves ? all(parameters, false) : std::nullopt;
    if (!moves && faster && !moved(now_, *faster)) return;
    if (one) return add(parameters[0], slower, faster);
    look(parameters.first(parameters.size() / 2));
    look(parameters.subspan(parameters.size() / 2));
  }

  void add(const Parameter& p, const std::optional<std::vector<Seconds>>& slower,
           const std::optional<std::vector<Seconds>>& faster) {
    if (!slower || !faster) return;
    const double run = std::log(shifted(p, true) / shifted(p, false));
    for (std::size_t row = 0; row < now_.size(); ++row) {
      const Seconds most = (*slower)[row], least = (*faster)[row];
      if (least.value > 0 && moved({most}, {least}))
        found_[row].push_back(
            {p.path, std::log(most / least) / run, most / now_[row] - 1, 1 - least / now_[row]});
    }
  }

  const Description& platform_;
  const TimesOn& times_;
  std::vector<Seconds> now_;
  std::vector<std::vector<Elasticity>> found_;
};

}  // namespace

std::vector<std::vector<Elasticity>> sensitivity(const Description& platform, const TimesOn& times) {
  return Differences(platform, times).of(parameters_of(platform), constants_beside(platform));
}

}  // namespace collcast
