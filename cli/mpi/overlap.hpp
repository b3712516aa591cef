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

/// Measures what --overlap asks for. To be called on all processes; only ranks get outcomes. Throws
/// InputError, and WrongResult if the result of a rank differs from the MPI library's.
std::vector<OverlapOutcome> measure_overlaps(const MpiOptions& options, const ImportedAlgorithm* imported,
                                             const Communicator& world);

}  // namespace collcast::mpi
