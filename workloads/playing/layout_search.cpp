// SPDX-License-Identifier: Apache-2.0
#include "workloads/playing/layout_search.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <tuple>

#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"
#include "workloads/settings.hpp"
#include "workloads/training/layouts.hpp"

namespace collcast::workloads {
namespace {

constexpr std::size_t layouts_shown = 3;

/// "dp=8 tp=4 pp=2", and what few layouts have: "ep=8".
std::string in_words(const Layout& l) {
  std::string words = "dp=" + std::to_string(l.data) + " tp=" + std::to_string(l.tensor) +
                      " pp=" + std::to_string(l.pipeline);
  if (l.context > 1) words += " cp=" + std::to_string(l.context);
  if (l.expert > 1) words += " ep=" + std::to_string(l.expert);
  return words;
}

/// All layouts that fit, and how many were left out.
struct FoundLayouts {
  std::vector<PlannedCase> cases;  ///< if nothing fits, one that does not, or that says why
  int tried = 0, too_large = 0, indivisible = 0;
};

FoundLayouts layouts_of(const PlannedCase& of, const Description& platform, const std::string& most_tensor) {
  FoundLayouts found;
  PlannedCase c = of;
  try {
    Training t = described(c.job, platform);
    t.ranks = c.ranks;
    const int most = most_tensor.empty() ? t.ranks_per_node
                                         : static_cast<int>(parse_count(most_tensor, "--max-tp", 1, 1 << 24));
    const Layouts all = layouts(t, c.job.framework, most);
    found.too_large = all.too_large, found.indivisible = all.indivisible;
    const auto add = [&](const Layout& layout) {
      c.job.framework = layout.framework;
      c.layout = in_words(layout);
      if (layout.samples > 0)
        c.least_time = std::ceil(above_zero(c.job.samples, "number of samples") / layout.samples) *
                       layout.least_step.value;
      found.cases.push_back(c);
    };
    for (const Layout& layout : all.fit) add(layout);
    found.tried = static_cast<int>(all.fit.size());
    if (all.fit.empty() && all.too_large > 0) add(all.smallest), found.cases[0].fits = false;
    if (!found.cases.empty()) return found;
    c.refused = all.reason;
  } catch (const InputError& e) {
    c.refused = e.what();
  }
  c.fits = false;
  found.cases = {c};
  return found;
}

/// The slowest time of the fastest `layouts_shown` layouts; HUGE_VAL if fewer were timed.
double time_to_beat(std::vector<double> timed) {
  if (timed.size() < layouts_shown) return HUGE_VAL;
  std::ranges::nth_element(timed, timed.begin() + (layouts_shown - 1));
  return timed[layouts_shown - 1];
}

/// The cases of a machine and a number of ranks: those from `first` on, sorted by their bounds.
struct Group {
  std::size_t first = 0, count = 0;
  std::vector<double> timed = {};
};

/// The times of all cases that may be among the fastest ones of their group, which are shown. Times first as
/// many cases as are shown, then those whose bound allows them to be as fast. HUGE_VAL for the others.
std::vector<double> times_of_fastest(const std::vector<PlannedCase>& cases, std::vector<Group>& groups,
                                     const std::vector<PlannedPlatform>& platforms,
                                     const PlanProgress& progress) {
  std::vector<double> all(cases.size(), HUGE_VAL);
  for (const bool first_round : {true, false}) {
    std::vector<std::size_t> asked;
    std::vector<PlannedCase> asked_cases;
    for (const Group& g : groups)
      for (std::size_t i = g.first; i < g.first + g.count; ++i) {
        const bool early = i < g.first + layouts_shown;
        if (early != first_round || (!early && cases[i].least_time > time_to_beat(g.timed))) continue;
        asked.push_back(i), asked_cases.push_back(cases[i]);
      }
    if (asked.empty()) break;
    const std::vector<double> found = times(asked_cases, platforms, progress);
    for (std::size_t k = 0; k < asked.size(); ++k) all[asked[k]] = found[k];
    for (Group& g : groups)
      g.timed.assign(all.begin() + static_cast<std::ptrdiff_t>(g.first),
                     all.begin() + static_cast<std::ptrdiff_t>(g.first + std::min(g.count, layouts_shown)));
  }
  return all;
}

}  // namespace

std::vector<PlannedCase> with_layouts(const std::vector<PlannedCase>& cases, const PlanText& options,
                                      const std::vector<PlannedPlatform>& platforms,
                                      const PlanProgress& progress, std::vector<std::string>& notes) {
  const auto place = [](const PlannedCase& c) {
    return std::tuple(c.platform, c.ranks, c.job.batch, c.job.global_batch, c.job.precision, c.job.policy);
  };
  std::vector<PlannedCase> all;
  int tried = 0, too_large = 0, indivisible = 0;
  for (const PlannedCase& c : cases) {
    FoundLayouts found = layouts_of(c, platforms[c.platform].platform, options.most_tensor);
    tried += found.tried, too_large += found.too_large, indivisible += found.indivisible;
    std::ranges::move(found.cases, std::back_inserter(all));
  }
  // cases that fit come before those that do not, and these before cases without a forecast
  std::ranges::stable_sort(all, {}, [&](const PlannedCase& c) {
    return std::tuple(place(c), !c.refused.empty(), !c.fits, c.least_time);
  });
  std::vector<Group> groups;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || place(all[i]) != place(all[i - 1])) groups.push_back({i, 0});
    groups.back().count += all[i].fits || groups.back().count == 0;
  }
  const std::vector<double> time = times_of_fastest(all, groups, platforms, progress);
  std::vector<PlannedCase> best;
  for (const Group& g : groups) {
    std::vector<std::size_t> order(g.count);
    std::iota(order.begin(), order.end(), g.first);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return time[i]; });
    order.resize(std::min(order.size(), layouts_shown));
    for (const std::size_t i : order) best.push_back(all[i]);
  }
  notes.push_back("layouts: " + text::count(tried) + " fit; the " + std::to_string(layouts_shown) +
                  " fastest of each machine and number of ranks are candidates. Of the other splits into "
                  "tensor and pipeline parts, " +
                  text::count(too_large) + " need more memory than a device has, and " +
                  text::count(indivisible) + " do not divide the batch, the heads or the blocks");
  notes.push_back(options.most_tensor.empty()
                      ? "tensor parallelism beyond a node was not tried; --max-tp N does"
                      : "tensor parallelism of more than " + options.most_tensor + " ranks was not tried");
  if (options.global_batch.empty())
    notes.emplace_back(
        "layouts with fewer replicas have a smaller global batch; --global-batch keeps it the same");
  return best;
}

}  // namespace collcast::workloads
