// SPDX-License-Identifier: Apache-2.0
// Law 6 over the whole catalogue: a real run's result equals the MPI library's own.
#include <gtest/gtest.h>

#include <utility>

#include "execution/check/verify.hpp"
#include "tests/execution/mpi/calls.hpp"
#include "tests/execution/mpi/world.hpp"
#include "tests/names.hpp"

namespace collcast::mpi {
namespace {

class Results : public ::testing::TestWithParam<const Algorithm*> {
 protected:
  void expect_right(const Call& call, const std::shared_ptr<Communicator>& communicator,
                    bool in_place = false) {
    const auto wrong = verify(*GetParam(), call, communicator, in_place);
    EXPECT_FALSE(wrong) << describe(*GetParam(), call) << ": " << wrong->words();
  }
};

TEST_P(Results, EqualTheLibrarys) {
  for_each_call(*GetParam(), world()->size(), [&](const Call& shape) {
    const auto p = static_cast<std::size_t>(shape.ranks);
    for (std::size_t n : {std::size_t{0}, std::size_t{1}, p - 1, p, p + 1, std::size_t{10007}})
      expect_right(with_elements(*GetParam(), shape, n), world());
  });
}

TEST_P(Results, EqualTheLibrarysInPlace) {
  for_each_call(*GetParam(), world()->size(), [&](const Call& shape) {
    const auto p = static_cast<std::size_t>(shape.ranks);
    for (std::size_t n : {std::size_t{0}, p + 1, 12 * p, std::size_t{1009}})
      expect_right(with_elements(*GetParam(), shape, n), world(), true);
  });
}

TEST_P(Results, EqualTheLibrarysForNarrowElements) {
  for_each_call(*GetParam(), world()->size(), [&](Call call) {
    for (double bytes : {4.0, 1004.0, 1001.0}) {
      call.message = Bytes(bytes);
      expect_right(call, world());
    }
  });
}

/// Long enough for scattered pieces to travel in other ways.
TEST_P(Results, EqualTheLibrarysForLongMessages) {
  bool first = true;
  for_each_call(*GetParam(), world()->size(), [&](const Call& shape) {
    if (std::exchange(first, false)) expect_right(with_elements(*GetParam(), shape, 80021), world());
  });
}

/// Odd and even ranks at once, in reverse order.
TEST_P(Results, EqualTheLibrarysOnSubCommunicators) {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, world()->rank() % 2, -world()->rank(), &half);
  const auto communicator = std::make_shared<Communicator>(half);
  MPI_Comm_free(&half);
  for_each_call(*GetParam(), communicator->size(), [&](const Call& shape) {
    expect_right(with_elements(*GetParam(), shape, 101), communicator);
  });
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Results, whole_catalogue(), test_name);

}  // namespace
}  // namespace collcast::mpi
