// SPDX-License-Identifier: Apache-2.0
#include "cli/mpi/overlap.hpp"

#include "execution/mpi/guarded_main.hpp"
#include "execution/offload/forecast.hpp"
#include "execution/offload/trial.hpp"

namespace collcast::mpi {

std::vector<OverlapOutcome> measure_overlaps(const MpiOptions& options, const ImportedAlgorithm* imported,
                                             const Communicator& world) {
  const Team team(world, options.workers);
  const SharedClock clock(world);
  const std::vector<Job> all = jobs(options, imported, team.ranks());
  Bytes large;
  for (const Job& job : all) large = std::max(large, job.call.message);
  const OverlapModel model = probe_overlap(world, team, std::min(large, Bytes(4 << 20)), clock);
  std::vector<OverlapOutcome> outcomes;
  for (const Job& job : all) {
    const Overlap predicted = predict_overlap(model, *job.algorithm, job.call);
    const Trial trial =
        try_overlap(*job.algorithm, job.call, team, options.check, options.repetitions, world, clock);
    if (!trial.wrong.empty()) throw WrongResult(full_name(*job.algorithm) + " is wrong: " + trial.wrong);
    if (!team.worker()) outcomes.push_back({job, predicted, trial.overlap, options.check});
  }
  return outcomes;
}

}  // namespace collcast::mpi
