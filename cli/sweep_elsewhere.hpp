// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/sweep_mpi/module.hpp"
#include "forecast/sweep/sweep.hpp"

namespace collcast::cli {

/// The module for MPI that lies beside this program. Throws InputError if the build has none.
const SweepModule& sweep_module();

/// Hands points out to the ranks of an MPI run; called by rank 0.
sweep::HandOut ranks_of(const SweepModule& module);

/// Writes a job array of so many tasks, each of which does its part of the sweep in a folder of its own, and
/// submits it with sbatch. `lines`: more #SBATCH options. Returns what the user does next, in words. Throws
/// InputError if there is no sbatch, SubstrateError if it refuses.
std::string submit(const std::string& spec, const std::string& folder, int tasks,
                   const std::vector<std::string>& lines);

/// A path as a user can paste it into a shell: quoted where it has to be.
std::string to_paste(const std::string& path);

}  // namespace collcast::cli
