// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/mpi/options.hpp"
#include "execution/offload/overlap.hpp"

namespace collcast::mpi {

/// The overlap of one call: predicted first, then measured.
struct OverlapOutcome {
  Job job;
  Overlap predicted, measured;
  bool checked = false;
};

/// What --overlap asks for, on all processes; the outcomes are the ranks' alone. Throws InputError, and
/// WrongResult where some rank ends with another result than the MPI library's.
std::vector<OverlapOutcome> measure_overlaps(const Options& options, const ImportedAlgorithm* imported,
                                             const Communicator& world);

}  // namespace collcast::mpi
