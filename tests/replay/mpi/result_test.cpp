// SPDX-License-Identifier: Apache-2.0
// Law 6 over the whole catalogue: a real run's result equals the MPI library's own.
#include <gtest/gtest.h>

#include "replay/mpi/verify.hpp"
#include "tests/replay/mpi/calls.hpp"
#include "tests/replay/mpi/world.hpp"

namespace collcast::mpi {
namespace {

class Results : public testing::TestWithParam<const Algorithm*> {};

std::vector<std::size_t> sizes(std::size_t p) {
  return {0, 1, p - 1, p, p + 1, 10007};
}

TEST_P(Results, EqualTheLibrarys) {
  const Algorithm& a = *GetParam();
  for_each_call(a, world()->size(), [&](const Call& shape) {
    for (std::size_t n : sizes(static_cast<std::size_t>(shape.ranks))) {
      const Call call = with_elements(a, shape, n);
      const auto wrong = verify(a, call, world());
      EXPECT_FALSE(wrong) << describe(a, call) << ": " << wrong->words();
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Results, testing::ValuesIn(catalogue().begin(), catalogue().end()),
                         [](const auto& row) {
                           std::string name = std::string(definition(row.param->collective).name) + "_" +
                                              std::string(row.param->name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace collcast::mpi
