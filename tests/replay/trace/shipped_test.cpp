// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "replay/trace/check.hpp"
#include "replay/trace/summary.hpp"
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
  const Summary summary = summarize(reader);
  EXPECT_GE(summary.ranks, 8);
  EXPECT_GT(summary.longest_compute.value, 0.01);
  const auto row = std::find_if(summary.operations.begin(), summary.operations.end(),
                                [](const auto& one) { return one.operation == GetParam().operation; });
  ASSERT_NE(row, summary.operations.end());
  EXPECT_GE(row->count, GetParam().least_count);
  EXPECT_THAT(check(reader).errors, testing::IsEmpty());
  EXPECT_THAT(check(reader).notes, testing::IsEmpty());
  EXPECT_THAT(summary.notes, testing::IsEmpty());
  EXPECT_THAT(summary.losses, testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    , Shipped,
    ::testing::Values(ShippedTrace{"lammps-melt-8", "MPI_Irecv", 9000},
                      ShippedTrace{"hpcc-8", "MPI_Alltoall", 48},    // MPIFFT: six on 8 ranks
                      ShippedTrace{"hpcc-8", "MPI_Comm_split", 24},  // HPL: grid, rows, columns
                      ShippedTrace{"qe-si-8", "MPI_Alltoall", 10'000}));

}  // namespace
}  // namespace collcast::trace::test
