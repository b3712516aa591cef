// SPDX-License-Identifier: Apache-2.0
#include "workloads/playing/what_if.hpp"

#include <algorithm>
#include <utility>

#include "support/json.hpp"
#include "workloads/compute/processor.hpp"

namespace collcast::workloads {
namespace {

/// Which rows fit into the memory of a platform's devices.
std::vector<bool> fitting(const Json& rows, const Description& platform) {
  const double holds = processor(platform, Precision::fp32).memory.value;
  std::vector<bool> fit;
  for (const Json& row : rows)
    fit.push_back(!row["memory_B"].is_number() || holds == 0 || row["memory_B"].get<double>() <= holds);
  return fit;
}

bool any_exposed(const Json& rows) {
  return std::ranges::any_of(rows, [](const Json& r) { return r["exposed_communication_s"] > 0; });
}

/// The platform with all overrides but those of `parameter`.
Description platform_of(const Overridden& answer, const std::string& parameter = {}) {
  std::vector<std::string> set = answer.set;
  std::erase_if(set, [&](const std::string& a) { return a.substr(0, a.find('=')) == parameter; });
  Description d = answer.base;
  set_all(d, set);
  return d;
}

}  // namespace

std::string binds_exposed(const Description& with, const Description& without, const std::string& parameter,
                          const TimesOn& times) {
  const std::string cap = binds_instead(with, without, parameter, times);
  return cap.empty() ? cap : cap + " (of the communication that is exposed)";
}

std::vector<Unbound> unbound_in(const Overridden& answer, const TimesOn& times, const TimesOn& quick) {
  if (answer.set.empty()) return {};
  const Description with = platform_of(answer);
  std::vector<Unbound> found = unbound(answer.base, answer.set, times(with), times, {}, answer.limited_by, 0);
  for (Unbound& u : found)
    if (u.capped_by == answer.limited_by && any_exposed(answer.runs))
      if (std::string cap = binds_exposed(with, platform_of(answer, u.parameter), u.parameter, quick);
          !cap.empty())
        u.capped_by = std::move(cap);
  return found;
}

std::vector<Unbound> without_effect(std::vector<Unbound> unbound, const Overridden& answer) {
  if (unbound.empty()) return unbound;
  const std::vector<bool> fit = fitting(answer.runs, platform_of(answer));
  std::erase_if(unbound, [&](const Unbound& u) {
    return u.capped_by == affects_fit_only && fit != fitting(answer.runs, platform_of(answer, u.parameter));
  });
  return unbound;
}

}  // namespace collcast::workloads
