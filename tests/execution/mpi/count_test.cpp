// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/count.hpp"

#include <gtest/gtest.h>

#include "execution/check/reference.hpp"
#include "support/error.hpp"

namespace collcast::mpi {
namespace {

constexpr std::size_t most = 2147483647;

template <typename Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Count, HasRoomForTwoToThe31LessOneElements) {
  EXPECT_EQ(mpi_count(0, "a message"), 0);
  EXPECT_EQ(mpi_count(most, "a message"), 2147483647);
  EXPECT_EQ(refusal([] { mpi_count(most + 1, "a message"); }),
            "a message of 2147483648 elements does not fit into an MPI count, 2147483647 at most");
}

/// The call of rank 0 of `ranks`, whose buffers are never looked at.
std::string refusal(Collective collective, Rank ranks, const Elements& elements) {
  const Part part{.collective = collective, .ranks = ranks};
  return refusal(
      [&] { reference(part, elements, ranks, nullptr, nullptr, MPI_BYTE, MPI_BOR, MPI_COMM_SELF); });
}

TEST(Count, OfTheLibrarysCollectiveIsRefusedBeforeTheCall) {
  EXPECT_EQ(refusal(Collective::allreduce, 2, Elements(most + 1, 2)),
            "the MPI library's allreduce: a message of 2147483648 elements does not fit into an MPI count, "
            "2147483647 at most");
  EXPECT_EQ(refusal(Collective::broadcast, 1, Elements(most + 1, 1)),
            "the MPI library's broadcast: a message of 2147483648 elements does not fit into an MPI count, "
            "2147483647 at most");
  EXPECT_EQ(refusal(Collective::allgather, 2, Elements(2 * most + 2, 2)),
            "the MPI library's allgather: a part of 2147483648 elements does not fit into an MPI count, "
            "2147483647 at most");
}

TEST(Count, OfPartsThatFitMayLieTooFarOff) {
  EXPECT_EQ(refusal(Collective::allgatherv, 3, Elements({most, 1, 1}, 3)),
            "the MPI library's allgatherv: an offset of 2147483648 elements does not fit into an MPI count, "
            "2147483647 at most");
}

}  // namespace
}  // namespace collcast::mpi
