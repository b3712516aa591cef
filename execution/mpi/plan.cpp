// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/plan.hpp"

#include "execution/mpi/check.hpp"
#include "execution/mpi/count.hpp"

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
    lengths.push_back(mpi_count(s.count, "a message"));
    offsets.push_back(static_cast<MPI_Aint>(s.at.offset) * extent);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_create_hindexed(mpi_count(lengths.size(), "a derived datatype"), lengths.data(),
                                 offsets.data(), element, &type),
        "MPI_Type_create_hindexed");
  types_.push_back(type);
  check(MPI_Type_commit(&types_.back()), "MPI_Type_commit");
  return type;
}

}  // namespace collcast::mpi
