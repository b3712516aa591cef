// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/plan.hpp"

#include <limits>

#include "execution/mpi/check.hpp"
#include "support/error.hpp"

namespace collcast::mpi {

DerivedTypes::~DerivedTypes() {
  int finalized = 0;
  if (!types_.empty()) MPI_Finalized(&finalized);
  if (finalized) return;
  for (MPI_Datatype& type : types_) MPI_Type_free(&type);
}

MPI_Datatype DerivedTypes::make(const std::vector<Segment>& segments, MPI_Datatype element, MPI_Aint extent) {
  std::vector<int> lengths;
  std::vector<MPI_Aint> offsets;
  for (const Segment& s : segments) {
    if (s.count > std::numeric_limits<int>::max())
      throw InputError("a message of more than 2^31 - 1 elements does not fit into an MPI count");
    lengths.push_back(static_cast<int>(s.count));
    offsets.push_back(static_cast<MPI_Aint>(s.at.offset) * extent);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), offsets.data(), element,
                                 &type),
        "MPI_Type_create_hindexed");
  types_.push_back(type);
  check(MPI_Type_commit(&types_.back()), "MPI_Type_commit");
  return type;
}

}  // namespace collcast::mpi
