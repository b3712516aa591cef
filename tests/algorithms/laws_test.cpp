// SPDX-License-Identifier: Apache-2.0
// The laws of the catalogue: a new row is tested here without another line.
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "model/critical_path.hpp"
#include "model/proof.hpp"

namespace collcast {
namespace {

constexpr AlphaBetaGamma machine{Seconds(1e-6), SecondsPerByte(1e-10), SecondsPerByte(3e-11)};

std::string describe(const Algorithm& a, const Call& c) {
  return std::string(definition(a.collective).name) + " " + std::string(a.name) + ", " +
         std::to_string(c.ranks) + " ranks, root " + std::to_string(c.root) + ", radix " +
         std::to_string(c.radix) + ", " + std::to_string(c.segments) + " segments, " +
         std::to_string(c.message.value) + " B";
}

/// Every call of a small world that the algorithm supports.
template <class Visit>
void for_each_call(const Algorithm& a, std::vector<Rank> rank_counts, Visit visit) {
  for (Rank p : rank_counts) {
    if (!a.supports(p)) continue;
    const Rank roots = definition(a.collective).rooted ? (p <= 16 ? p : 2) : 1;
    for (Rank root = 0; root < roots; ++root)
      for (int radix : a.radix ? std::vector{2, 3, 4, 8} : std::vector{2})
        for (Block segments : a.segmented ? std::vector<Block>{1, 2, 7} : std::vector<Block>{1}) {
          Call call;
          call.ranks = p;
          call.root = root;
          call.radix = radix;
          call.segments = segments;
          visit(call);
        }
  }
}

std::vector<Rank> up_to(Rank last) {
  std::vector<Rank> all;
  for (Rank p = 1; p <= last; ++p) all.push_back(p);
  return all;
}

class Laws : public testing::TestWithParam<const Algorithm*> {
 protected:
  const Algorithm& algorithm() const { return *GetParam(); }
  PathResult path(const Call& c) const {
    const Schedule s = algorithm().schedule(c);
    return critical_path(s, layout(algorithm(), c, s), UniformNetwork(machine, c.ranks));
  }
};

TEST_P(Laws, ProofHolds) {
  for_each_call(algorithm(), up_to(64), [&](const Call& c) {
    const auto wrong = prove(algorithm().schedule(c), algorithm().collective, c.root);
    EXPECT_FALSE(wrong) << describe(algorithm(), c) << ": " << wrong->words();
  });
}

TEST_P(Laws, FormulaIsTheCriticalPath) {
  if (!algorithm().exact) GTEST_SKIP() << "the formula is a bound";
  for_each_call(algorithm(), up_to(64), [&](Call c) {
    for (double p = c.ranks; double n : {0.0, 1.0, p - 1, p, p + 1, 10007.0, 67108864.0}) {
      c.message = Bytes(n);
      const double formula = algorithm().time(c, machine).value;
      EXPECT_NEAR(path(c).time.value, formula, 1e-9 * formula) << describe(algorithm(), c);
    }
  });
}

TEST_P(Laws, NothingBeatsTheLowerBound) {
  for_each_call(algorithm(), up_to(33), [&](Call c) {
    for (double n : {0.0, 1.0, 4096.0, 67108864.0}) {
      c.message = Bytes(n);
      const double bound = lower_bound(algorithm().collective, c.ranks, c.message, machine).value;
      EXPECT_GE(path(c).time.value, bound * (1 - 1e-12)) << describe(algorithm(), c);
    }
  });
}

TEST_P(Laws, TimeGrowsWithTheMessage) {
  for_each_call(algorithm(), {1, 2, 5, 8, 12}, [&](Call c) {
    double before = 0;
    for (double n = 1; n < 1e9; n *= 3) {
      c.message = Bytes(n);
      const double now = path(c).time.value;
      EXPECT_GE(now, before) << describe(algorithm(), c);
      before = now;
    }
  });
}

TEST_P(Laws, EveryParameterMovesTheAnswer) {
  Call c;
  c.ranks = 8;
  c.message = Bytes(1 << 20);
  auto time = [&](AlphaBetaGamma m) { return algorithm().time(c, m).value; };
  const double base = time(machine);
  EXPECT_GT(time({2 * machine.alpha, machine.beta, machine.gamma}), base);
  if (algorithm().collective == Collective::barrier) return;
  EXPECT_GT(time({machine.alpha, 2 * machine.beta, machine.gamma}), base);
  if (definition(algorithm().collective).reduces)
    EXPECT_GT(time({machine.alpha, machine.beta, 2 * machine.gamma}), base);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Laws, testing::ValuesIn(catalogue().begin(), catalogue().end()),
                         [](const auto& row) {
                           std::string name = std::string(definition(row.param->collective).name) + "_" +
                                              std::string(row.param->name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace collcast
