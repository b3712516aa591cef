// SPDX-License-Identifier: Apache-2.0

#include "workloads/applications/script.hpp"

namespace collcast::workloads {

/// An iteration reads the points once, and takes 3 operations for each point, cluster and feature: subtract,
/// square, add; in 32 bits. Then k x d sums and k counts are added up over all ranks.
Job kmeans(Settings& settings, const Site& site) {
  const double points = settings.real("points", 1e7) / site.ranks;
  const double features = settings.count("features", 50), clusters = settings.count("clusters", 8);
  const int iterations = settings.count("iterations", 10);
  const double reached = efficiency(settings);
  Seconds assign = settings.time("compute", Seconds(-1));
  if (assign < Seconds())
    assign = kernel_time(site.device, site.device.fp32, 3 * points * clusters * features,
                         Bytes(4 * points * features), reached);
  Script script;
  std::vector<int> known;  // the previous iteration's counts, which the centroids need
  for (int i = 0; i < iterations; ++i) {
    const int assigned = script.compute("assignment", assign, known);
    script.collective("sums", Collective::allreduce, 0, Bytes(4 * clusters * features), {assigned});
    known = {script.collective("counts", Collective::allreduce, 0, Bytes(4 * clusters), {assigned})};
  }
  Job job;
  job.dimensions = {{"data", site.ranks}};
  job.groups = {{"data", {0}}};
  job.roles = {{"rank", script.take()}};
  return job;
}

}  // namespace collcast::workloads
