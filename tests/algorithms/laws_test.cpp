// SPDX-License-Identifier: Apache-2.0
// The laws of the catalogue: a new row is tested here without another line.
#include "laws.hpp"

#include <array>
#include <set>
#include <span>

#include "model/critical_path.hpp"
#include "model/proof.hpp"
#include "model/repeats.hpp"

namespace collcast {
namespace {

class Laws : public ::testing::TestWithParam<const Algorithm*> {
 protected:
  const Algorithm& algorithm() const { return *GetParam(); }
  double path(const Call& c, const AlphaBetaGamma& machine = fast_reduction) const {
    const Schedule s = algorithm().schedule(c);
    return critical_path(s, layout(algorithm(), c, s), UniformNetwork(machine, c.ranks)).time.value;
  }
};

TEST_P(Laws, ProofHolds) {
  for_each_call(algorithm(), up_to(64), [&](const Call& c) {
    const auto wrong = prove(algorithm().schedule(c), algorithm().collective, c.root);
    ASSERT_FALSE(wrong) << describe(algorithm(), c) << ": " << wrong->words();
  });
}

TEST_P(Laws, FormulaIsTheCriticalPath) {
  auto compare = [&](const Call& c, const AlphaBetaGamma& machine) {
    check(algorithm(), c);
    const double formula = algorithm().time(c, machine).value, is = path(c, machine);
    ASSERT_LE(is, formula * (1 + 1e-9)) << describe(algorithm(), c);
    const double bound = algorithm().exact ? 1 : algorithm().bound(c.ranks);
    ASSERT_GE(is, formula / bound * (1 - 1e-9)) << describe(algorithm(), c);
  };
  for_each_call(algorithm(), up_to(64), [&](Call c) {
    if (!c.counts.empty()) return compare(c, fast_reduction), compare(c, slow_reduction);
    for (double p = c.ranks; double n : {0.0, 1.0, p - 1, p, p + 1, 10007.0, 67108864.0}) {
      c.message = Bytes(n);
      compare(c, fast_reduction);
      compare(c, slow_reduction);
    }
  });
}

/// The bounds are those of machines whose switches cannot replicate: a multicast escapes the latency's.
TEST_P(Laws, NothingBeatsTheLowerBound) {
  for_each_call(algorithm(), up_to(33), [&](Call c) {
    if (!c.counts.empty()) return;
    bool replicates = false, reduces = false;
    for_each_step(algorithm().schedule(c), false, [&](const Step& step) {
      replicates |= !step.multicasts.empty(), reduces |= !step.reductions.empty();
    });
    AlphaBetaGamma machine = fast_reduction;
    // Switches that reduce spare the ranks half of an allreduce's bytes and all of its arithmetic.
    if (reduces) machine.beta = machine.beta / 2, machine.gamma = {};
    if (replicates) machine.alpha = {};
    for (double n : {0.0, 1.0, 4096.0, 67108864.0}) {
      c.message = Bytes(n);
      const double bound = lower_bound(algorithm().collective, c.ranks, c.message, machine).value;
      ASSERT_GE(path(c), bound * (1 - 1e-12)) << describe(algorithm(), c);
    }
  });
}

/// All that a step sends, but for which blocks.
std::vector<std::array<std::int64_t, 8>> shape(const Schedule& s, std::int64_t at) {
  std::vector<std::array<std::int64_t, 8>> all;
  Step step;
  s.rule(at, step);
  const auto of = [](Memory m) { return static_cast<std::int64_t>(m); };
  for (const Transfer& t : step.transfers)
    all.push_back({t.from.rank, of(t.from.memory), t.to.rank, of(t.to.memory), t.chunk.count, t.channel,
                   t.combine == Combine::reduce, 0});
  for (const Multicast& m : step.multicasts)
    all.push_back({m.from.rank, of(m.from.memory), m.to.first, m.to.count, m.to.stride, of(m.memory),
                   m.chunk.count, m.channel});
  for (const Reduction& m : step.reductions)
    all.push_back({m.to.rank, of(m.to.memory), m.from.first, m.from.count, m.from.stride, of(m.memory),
                   m.chunk.count, m.channel});
  for (const Step::Join& j : step.joins) all.push_back({j.first, j.last, j.rank});
  return all;
}

TEST_P(Laws, StepsRepeatAsStated) {
  for_each_call(algorithm(), {1, 2, 3, 6, 8, 13, 16, 18}, [&](Call c) {
    if (algorithm().segmented && c.segments == 7) c.segments = 20;
    const Schedule s = algorithm().schedule(c);
    std::int64_t end = 0;
    for (const Repeat& r : repeats(s)) {
      ASSERT_GE(r.first, end) << describe(algorithm(), c);
      ASSERT_LE(end = r.last, s.steps) << describe(algorithm(), c);
      for (std::int64_t i = r.first + r.period; i < r.last; ++i)
        ASSERT_EQ(shape(s, i), shape(s, i - r.period)) << describe(algorithm(), c) << ", step " << i;
    }
  });
}

/// Each rank once as sender and once as receiver of messages of one kind, one rank to another.
void expect_round(std::span<const Transfer> round, const SymmetricStep& e, const std::string& where) {
  std::set<Rank> from, to;
  for (const Transfer& t : round) {
    ASSERT_NE(t.from.rank, t.to.rank) << where;
    ASSERT_TRUE(from.insert(t.from.rank).second && to.insert(t.to.rank).second) << where;
    ASSERT_TRUE(t.from.memory == Memory::device && t.to.memory == Memory::device) << where;
    ASSERT_TRUE(t.chunk.count == e.blocks && t.combine == e.combine && t.channel == 0) << where;
  }
}

TEST_P(Laws, RanksDoAlikeAsStated) {
  for_each_call(algorithm(), {2, 3, 4, 6, 8, 13, 16, 18}, [&](Call c) {
    const Schedule s = algorithm().schedule(c);
    const SymmetricRule* alike = symmetric_rule(s);
    if (!alike) return;
    ASSERT_EQ(s.channels, 1) << describe(algorithm(), c);
    for (std::int64_t i = 0; i < s.steps; ++i) {
      const SymmetricStep e = (*alike)(i);
      Step step;
      s.rule(i, step);
      const std::string where = describe(algorithm(), c) + ", step " + std::to_string(i);
      ASSERT_TRUE(step.multicasts.empty() && step.reductions.empty() && step.joins.empty()) << where;
      const auto p = static_cast<std::size_t>(c.ranks);
      ASSERT_EQ(step.transfers.size(), static_cast<std::size_t>(e.messages) * p) << where;
      for (std::size_t first = 0; first < step.transfers.size(); first += p)
        expect_round(std::span(step.transfers).subspan(first, p), e, where);
    }
  });
}

TEST_P(Laws, TimeGrowsWithTheMessage) {
  for_each_call(algorithm(), {1, 2, 5, 8, 12}, [&](Call c) {
    if (!c.counts.empty()) return;
    double before = 0;
    for (double n = 1; n < 1e9; n *= 3) {
      c.message = Bytes(n);
      const double now = path(c);
      ASSERT_GE(now, before) << describe(algorithm(), c);
      before = now;
    }
  });
}

TEST_P(Laws, EveryParameterMovesTheAnswer) {
  const Call c{.ranks = 8, .message = Bytes(1 << 20)};
  auto time = [&](AlphaBetaGamma m) { return algorithm().time(c, m).value; };
  const auto [alpha, beta, gamma] = fast_reduction;
  const double base = time(fast_reduction);
  EXPECT_GT(time({2 * alpha, beta, gamma}), base);
  if (algorithm().collective == Collective::barrier) return;
  EXPECT_GT(time({alpha, 2 * beta, gamma}), base);
  bool in_network = false;  // no rank reduces
  for_each_step(algorithm().schedule(c), false, [&](const Step& s) { in_network |= !s.reductions.empty(); });
  if (definition(algorithm().collective).reduces && !in_network) {
    EXPECT_GT(time({alpha, beta, 2 * gamma}), base);
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Laws, ::testing::ValuesIn(catalogue().begin(), catalogue().end()),
                         test_name);

}  // namespace
}  // namespace collcast
