// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

namespace collcast {
namespace {

using namespace testing;

/// Eager with a copy, then rendezvous above 8 KiB, and another protocol from 256 KiB on that starts over.
double protocol(double n) {
  if (n <= 8192) return 1e-6 + n * 4e-10;
  if (n < 262144) return 5e-6 + n * 2e-10;
  return 45e-6 + n * 9e-11;
}

/// Noise is seldom taken for a switch.
TEST(Pieces, OneLineIsOnePiece) {
  int wrong = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const PiecewiseFit fit = fit_pieces({table([](double n) { return 2e-6 + n * 1e-10; }, 0.03, seed)});
    wrong += fit.pieces.size() != 1;
    EXPECT_LT(fit.noise, 0.06);
  }
  EXPECT_LE(wrong, 8);
}

TEST(Pieces, SwitchPointsAreFound) {
  int wrong = 0;
  for (const double noise : {0.0, 0.01, 0.02})
    for (unsigned seed = 0; seed < 20; ++seed) {
      const PiecewiseFit fit = fit_pieces({table(protocol, noise, seed)});
      const bool found =
          fit.pieces.size() == 3 && fit.pieces[1].from == Bytes(16384) && fit.pieces[2].from == Bytes(262144);
      EXPECT_TRUE(found || noise > 0);
      wrong += !found;
      EXPECT_NEAR(fit.pieces.back().lines[0].per_byte.value.value, 9e-11, 9e-11 * (0.002 + 6 * noise));
    }
  EXPECT_LE(wrong, 4);
}

/// A table of another kind has the same switch points: together they are surer.
TEST(Pieces, TwoCurvesShareThem) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto windows = [](double n) { return n <= 8192 ? 3e-7 + n * 2e-10 : 2e-6 + n * 8.5e-11; };
    const PiecewiseFit fit = fit_pieces({table(protocol, 0.02, seed), table(windows, 0.02, seed + 100)});
    ASSERT_EQ(fit.pieces.size(), 3u) << "seed " << seed;
    EXPECT_NEAR(fit.pieces[0].lines[1].at_zero.value.value, 3e-7, 3e-8);
  }
}

TEST(Pieces, OutliersAreNoPieces) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Samples samples = table(protocol, 0.01, seed);
    samples[5].time = 2.5 * samples[5].time;
    samples[19].time = 1.8 * samples[19].time;
    const PiecewiseFit fit = fit_pieces({samples});
    EXPECT_EQ(fit.pieces.size(), 3u) << "seed " << seed;
    ASSERT_GE(fit.outliers.size(), 2u) << "seed " << seed;
    EXPECT_EQ(fit.outliers[0].sample.message.value, 32);
    EXPECT_NEAR(fit.outliers[0].residual, 1 / 2.5 - 1, 0.05);
  }
}

/// Lines that cross between two sizes meet there: the times are continuous.
TEST(Pieces, ContinuousWhereLinesCross) {
  const auto bend = [](double n) { return n < 3000 ? 1e-6 + n * 5e-10 : 2.2e-6 + n * 1e-10; };
  const PiecewiseFit fit = fit_pieces({table(bend, 0, 1)});
  ASSERT_EQ(fit.pieces.size(), 2u);
  EXPECT_NEAR(fit.pieces[1].from.value, 3000, 1);
}

/// The empty message may go its own way: MPI need not touch a GPU for it.
TEST(Pieces, EmptyMessage) {
  Samples samples = table(protocol, 0.01, 3);
  samples.insert(samples.begin(), {Bytes(0), Seconds(1e-7)});
  const PiecewiseFit fit = fit_pieces({samples});
  ASSERT_EQ(fit.pieces.size(), 4u);
  EXPECT_EQ(fit.pieces[0].last.value, 0);
  EXPECT_NEAR(fit.time(0, Bytes(0)).value, 1e-7, 1e-9);
  EXPECT_EQ(fit.pieces[1].from.value, 1);
}

/// Every size left out in turn, and predicted from the others; the ends are extrapolated.
TEST(Pieces, LeftOutSizesArePredicted) {
  const Samples all = table(protocol, 0.01, 7);
  double sum = 0;
  for (std::size_t left_out = 0; left_out < all.size(); ++left_out) {
    Samples others = all;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
    const PiecewiseFit fit = fit_pieces({others});
    sum += std::abs(fit.time(0, all[left_out].message) / all[left_out].time - 1);
  }
  EXPECT_LT(sum / static_cast<double>(all.size()), 0.05);
}

TEST(Pieces, FewSamples) {
  EXPECT_EQ(fit_pieces({{{Bytes(8), Seconds(1e-6)}}}).pieces.size(), 1u);
  EXPECT_EQ(fit_pieces({{{Bytes(8), Seconds(1e-6)}, {Bytes(16), Seconds(5e-6)}}}).pieces.size(), 1u);
}

TEST(Pieces, ManySamples) {
  Samples samples;
  for (int n = 1; n < 4000; ++n) samples.push_back({Bytes(n * 1000.0), Seconds(protocol(n * 1000.0))});
  const PiecewiseFit fit = fit_pieces({samples});
  EXPECT_LT(fit.mean_residual, 0.02);
  EXPECT_LE(fit.pieces.size(), 10u);
}

}  // namespace
}  // namespace collcast
