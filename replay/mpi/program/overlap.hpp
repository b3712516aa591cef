// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

#include "replay/mpi/offload/overlap.hpp"
#include "replay/mpi/program/options.hpp"

namespace collcast::mpi {

/// A result that is not the MPI library's. The program exits with 1.
struct WrongResult : std::runtime_error {
  using runtime_error::runtime_error;
};

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
