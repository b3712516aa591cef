// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "workloads/compute/device.hpp"
#include "workloads/job/job.hpp"
#include "workloads/settings.hpp"

namespace collcast::workloads {

/// Where an application is to run.
struct Site {
  Rank ranks;
  Device device;
};

/// Builds the activities of a role one after the other: computation on the first stream, collectives and
/// messages on the second. Each function returns the activity's index, for `after`.
class Script {
 public:
  int compute(std::string name, Seconds time, std::vector<int> after = {}) {
    return add({.name = std::move(name), .time = time, .after = std::move(after)});
  }
  int collective(std::string name, Collective what, int group, Bytes bytes, std::vector<int> after = {},
                 Progress progress = Progress::always) {
    return add({.kind = JobActivity::Kind::collective,
                .name = std::move(name),
                .stream = 1,
                .bytes = bytes,
                .collective = what,
                .progress = progress,
                .group = group,
                .after = std::move(after)});
  }
  /// A message to (Kind::send) or from (Kind::receive) the same place in another role.
  int message(JobActivity::Kind kind, std::string name, int peer, Bytes bytes, std::vector<int> after = {}) {
    return add({.kind = kind,
                .name = std::move(name),
                .stream = 1,
                .bytes = bytes,
                .peer = peer,
                .after = std::move(after)});
  }
  std::vector<JobActivity> take() { return std::move(activities_); }

 private:
  /// Throws InputError beyond a million activities.
  int add(JobActivity activity);

  std::vector<JobActivity> activities_;
};

/// The value of `setting`, which has to be one of `words`. Throws InputError that lists them.
std::string one_of(Settings& settings, const std::string& setting, const std::string& otherwise,
                   const std::vector<std::string>& words);

/// The setting `efficiency`: the share of the peaks that kernels reach. The default is a guess; 0.4 to 0.9 is
/// plausible.
double efficiency(Settings& settings);

/// The setting `progress` of non-blocking collectives: "always" or "host", the default.
Progress host_progress(Settings& settings);

Job p3dfft(Settings& settings, const Site& site);
Job kmeans(Settings& settings, const Site& site);
Job stencil(Settings& settings, const Site& site);
Job pbt(Settings& settings, const Site& site);

}  // namespace collcast::workloads
