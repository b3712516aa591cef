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

/// What the ranks of a role do, written down one after the other: computation on the first stream,
/// collectives and messages on the second. Each returns its place, for `after`.
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
  /// Throws InputError where there are more than a million.
  int add(JobActivity activity);

  std::vector<JobActivity> activities_;
};

/// The value of `setting`, which is one of the words. Throws InputError, which lists them.
std::string one_of(Settings& settings, const std::string& setting, const std::string& otherwise,
                   const std::vector<std::string>& words);

/// `efficiency`: what part of the peaks kernels reach. The default is a guess; 0.4 to 0.9 is plausible.
double efficiency(Settings& settings);

/// `progress` of non-blocking collectives: always or host, which is the default.
Progress host_progress(Settings& settings);

Job p3dfft(Settings& settings, const Site& site);
Job kmeans(Settings& settings, const Site& site);
Job stencil(Settings& settings, const Site& site);
Job pbt(Settings& settings, const Site& site);

}  // namespace collcast::workloads
