// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "validation/campaign/campaign.hpp"

namespace collcast::campaign {

/// How a batch system measures a campaign; the forecast lies beside the script.
struct Batch {
  std::vector<std::string> launcher;  ///< starts ranks, as a Launcher's words do; empty: mpirun
  std::vector<std::string> sbatch;    ///< more options of sbatch: "--partition=short"
};

/// A script for bash and sbatch that can be moved with its folder. It saves the node's topology, has collcast
/// measure the points, and runs OSU's benchmarks and nccl-tests on the same collectives and sizes if they are
/// installed. skipped.txt lists what is not installed. Throws InputError for options that sbatch does not
/// have.
std::string batch_script(const Campaign& campaign, const Batch& batch);

/// How the script is run, and how its results are read, for people.
std::string batch_words(const Campaign& campaign, const Batch& batch);

}  // namespace collcast::campaign
