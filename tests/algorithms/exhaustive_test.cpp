// SPDX-License-Identifier: Apache-2.0
// The laws at sizes beyond the everyday suite's, and the speed that readings promise.
#include <chrono>

#include "laws.hpp"

#include "model/critical_path.hpp"
#include "model/proof.hpp"

namespace collcast {
namespace {

class Exhaustive : public ::testing::TestWithParam<const Algorithm*> {};

TEST_P(Exhaustive, ProofAndFormulaHoldAtLargerSizes) {
  const Algorithm& a = *GetParam();
  auto holds = [&](Call c) {
    const auto wrong = prove(a.schedule(c), a.collective, c.root);
    ASSERT_FALSE(wrong) << describe(a, c) << ": " << wrong->words();
    for (double n : {1009.0, 67108864.0}) {
      if (c.counts.empty()) c.message = Bytes(n);
      const Schedule s = a.schedule(c);
      const double formula = a.time(c, fast_reduction).value;
      const double is = critical_path(s, layout(a, c, s), UniformNetwork(fast_reduction, c.ranks)).time.value;
      ASSERT_LE(is, formula * (1 + 1e-9)) << describe(a, c);
      ASSERT_GE(is, formula / (a.exact ? 1 : a.bound(c.ranks)) * (1 - 1e-9)) << describe(a, c);
    }
  };
  for_each_call(a, {96, 128}, holds, 31);
  for_each_call(a, {1000, 1024}, holds, 800);
}

/// Messages of the first step, one for each member of a group.
std::int64_t first_messages(const Schedule& s) {
  Step step;
  if (s.steps > 0) s.rule(0, step);
  auto count = static_cast<std::int64_t>(step.transfers.size());
  for (const Multicast& m : step.multicasts) count += m.to.count;
  for (const Reduction& m : step.reductions) count += m.from.count;
  return count;
}

/// Seconds that `work` takes.
template <class Work>
double seconds(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST_P(Exhaustive, CriticalPathOfManyRanksIsFast) {
  const Algorithm& a = *GetParam();
  for (Rank p : {27648, 1 << 20}) {
    if (!a.supports(p)) continue;
    Call c{.ranks = p, .message = Bytes(1e9), .segments = 64, .ranks_per_node = 8};
    const Schedule s = a.schedule(c);
    if (p > 27648 && (s.steps > 1000 || first_messages(s) > 100 * std::int64_t{p})) continue;
    const double took =
        seconds([&] { critical_path(s, layout(a, c, s), UniformNetwork(fast_reduction, p)); });
    std::printf("%-60s %8.1f s\n", describe(a, c).substr(0, 50).c_str(), took);
    EXPECT_LT(took, 90);
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Exhaustive, ::testing::ValuesIn(catalogue().begin(), catalogue().end()),
                         test_name);

}  // namespace
}  // namespace collcast
