// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "replay/trace/check.hpp"
#include "tests/replay/trace/fixture.hpp"

namespace collcast::trace::test {
namespace {

struct ShippedTrace {
  const char* name;
  const char* operation;     ///< what the application is known for
  std::int64_t least_count;  ///< of that operation
};

class Shipped : public ::testing::TestWithParam<ShippedTrace> {};

TEST_P(Shipped, TraceIsCompleteConsistentAndModelled) {
  const Reader reader(std::string(COLLCAST_SOURCE_DIR) + "/traces/" + GetParam().name + ".cct");
  EXPECT_GE(reader.ranks(), 8);
  std::int64_t count = 0;
  Seconds longest_compute;
  for (int rank = 0; rank < reader.ranks(); ++rank) {
    Seconds compute;
    for (const Event& e : read_rank(reader, rank)) {
      count += mpi_name(e.op, e.nonblocking()) == GetParam().operation;
      compute += e.compute;
    }
    longest_compute = std::max(longest_compute, compute);
  }
  EXPECT_GT(longest_compute.value, 0.01);
  EXPECT_GE(count, GetParam().least_count);
  EXPECT_THAT(check(reader).errors, testing::IsEmpty());
  EXPECT_THAT(check(reader).notes, testing::IsEmpty());
  EXPECT_THAT(reader.notes(), testing::IsEmpty());
  EXPECT_THAT(reader.metadata().losses, testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    , Shipped,
    ::testing::Values(ShippedTrace{"lammps-melt-8", "MPI_Irecv", 9000},
                      ShippedTrace{"hpcc-8", "MPI_Alltoall", 48},    // MPIFFT: six on 8 ranks
                      ShippedTrace{"hpcc-8", "MPI_Comm_split", 24},  // HPL: grid, rows, columns
                      ShippedTrace{"qe-si-8", "MPI_Alltoall", 10'000}));

}  // namespace
}  // namespace collcast::trace::test
