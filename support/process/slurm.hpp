// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

/// Batch scripts for Slurm.
namespace collcast::slurm {

/// "#SBATCH --partition=short\n" and so on. Throws InputError for a line that is not an option of sbatch.
std::string options(const std::vector<std::string>& lines);

/// "#SBATCH --output=...\n" for a job array: the file `name` in the folder. Slurm replaces %a in `name` by
/// the number of the task. Throws InputError if the folder's name has characters that Slurm does not take.
std::string output(const std::string& folder, const std::string& name);

/// Submits a script by `sbatch --parsable` with these options. Returns "job 42 was submitted", with what
/// sbatch said in brackets. Throws InputError if there is no sbatch, and SubstrateError with its last message
/// if it refuses.
std::string submitted(const std::string& script, const std::vector<std::string>& options = {});

}  // namespace collcast::slurm
