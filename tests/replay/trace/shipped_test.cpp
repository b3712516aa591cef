// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "replay/trace/check.hpp"
#include "replay/trace/summary.hpp"
#include "tests/replay/trace/fixture.hpp"

namespace collcast::trace::test {
namespace {

class Shipped : public testing::TestWithParam<std::string> {};

TEST_P(Shipped, TraceIsCompleteConsistentAndModelled) {
  const Reader reader(std::string(COLLCAST_SOURCE_DIR) + "/traces/" + GetParam() + ".cct");
  const Summary summary = summarize(reader);
  EXPECT_GE(summary.ranks, 8);
  EXPECT_GT(summary.events, 10'000);
  EXPECT_GT(summary.longest_compute.value, 0.01);
  EXPECT_THAT(check(reader), testing::IsEmpty());
  EXPECT_THAT(summary.notes, testing::IsEmpty());
  EXPECT_THAT(summary.losses, testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(, Shipped, testing::Values("lammps-melt-8", "hpcc-8", "qe-si-8"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace collcast::trace::test
