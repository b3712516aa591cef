// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

/// Batch scripts for Slurm.
namespace collcast::slurm {

/// "#SBATCH --partition=short\n" and so on. Throws InputError where one is no option of sbatch.
std::string options(const std::vector<std::string>& lines);

/// "#SBATCH --output=...\n" for a job array: `name` in the folder, %a in it the number of the task. Throws
/// InputError where the folder's name has what Slurm cannot take.
std::string output(const std::string& folder, const std::string& name);

/// Hands a script to `sbatch --parsable`, with these options of it, and says which job it is. Throws
/// InputError where there is no sbatch, SubstrateError with its last words where it refuses.
std::string submitted(const std::string& script, const std::vector<std::string>& options = {});

}  // namespace collcast::slurm
