// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "execution/mpi/block_locations.hpp"
#include "execution/mpi/rank_step.hpp"

namespace collcast::mpi {

/// The MPI datatype of an element.
struct ElementType {
  MPI_Datatype type = MPI_BYTE;
  MPI_Aint extent = 1;
  bool derived = true;  ///< scattered elements may be sent as a derived datatype
};

/// The plan of rank `part.rank`. Messages go directly from and to where their data lies, unless that would
/// overwrite data that is read in the same step. Throws InputError if the schedule sends a block that the
/// rank does not have.
Plan plan(const Schedule& schedule, const Part& part, const Elements& elements, ElementType element,
          Multicasting multicasting = Multicasting::one_by_one);

}  // namespace collcast::mpi
