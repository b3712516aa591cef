// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "execution/mpi/rank_step.hpp"
#include "execution/mpi/whereabouts.hpp"

namespace collcast::mpi {

/// What an element is to MPI.
struct ElementType {
  MPI_Datatype type = MPI_BYTE;
  MPI_Aint extent = 1;
  bool derived = true;  ///< scattered elements may travel as a datatype made of this one
};

/// What rank `part.rank` does in the schedule: its messages go directly from and to where the data is
/// wherever that disturbs nothing that is read in the same step. Throws InputError where the schedule sends
/// what the rank does not have.
Plan plan(const Schedule& schedule, const Part& part, const Elements& elements, ElementType element,
          Multicasting multicasting = Multicasting::one_by_one);

}  // namespace collcast::mpi
