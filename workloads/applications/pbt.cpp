// SPDX-License-Identifier: Apache-2.0
#include "support/error.hpp"
#include "workloads/applications/script.hpp"

namespace collcast::workloads {

/// The dimensions are ranks of a trial, trials of a quantile, and quantiles; roles differ along the last. All
/// trials compare their scores. Then each trial of the last quantile takes the checkpoint of a trial of the
/// first one: every rank receives a part, and the trial gathers the parts.
Job pbt(Settings& settings, const Site& site) {
  const Rank trial = settings.count("trial", 1), quantiles = settings.count("quantiles", 5, 2);
  const int rounds = settings.count("rounds", 4), steps = settings.count("steps", 100);
  const Seconds step = settings.time("step", Seconds(0.1));
  const Bytes gradients = settings.size("gradients", Bytes()),
              checkpoint = settings.size("checkpoint", Bytes(1e9));
  if (quantiles > 100)
    throw InputError("application pbt: quantiles takes a whole number from 2 to 100, got '" +
                     std::to_string(quantiles) + "'");
  const std::int64_t together = std::int64_t{trial} * quantiles;
  if (site.ranks % together != 0)
    throw InputError("application pbt: " + std::to_string(site.ranks) + " ranks do not divide into " +
                     std::to_string(quantiles) + " quantiles of trials of " + std::to_string(trial));
  Job job;
  const auto trials = static_cast<Rank>(site.ranks / together);
  job.dimensions = {{"trial", trial}, {"trials", trials}, {"quantile", quantiles}};
  job.groups = {{"trial", {0}}, {"all", {0, 1, 2}}};
  job.role_dimension = 2;
  for (int q = 0; q < quantiles; ++q) {
    Script script;
    std::vector<int> before;
    for (int r = 0; r < rounds; ++r) {
      for (int s = 0; s < steps; ++s) {
        before = {script.compute("step", step, before)};
        if (gradients > Bytes() && trial > 1)
          before = {script.collective("gradients", Collective::allreduce, 0, gradients, before)};
      }
      before = {script.collective("scores", Collective::allgather, 1, Bytes(8.0 * site.ranks), before)};
      const Bytes part = checkpoint / static_cast<double>(trial);
      if (q == 0)
        before = {script.message(JobActivity::Kind::send, "checkpoint", quantiles - 1, part, before)};
      if (q == quantiles - 1) {
        before = {script.message(JobActivity::Kind::receive, "checkpoint", 0, part, before)};
        if (trial > 1) before = {script.collective("spread", Collective::allgather, 0, checkpoint, before)};
      }
    }
    job.roles.push_back({q == 0               ? "first"
                         : q == quantiles - 1 ? "last"
                                              : "quantile " + std::to_string(q + 1),
                         script.take()});
  }
  return job;
}

}  // namespace collcast::workloads
