// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

namespace collcast {
namespace {

using namespace testing;

Wire wire(double overhead, double latency, double gap, double per_byte) {
  return {Seconds(latency), Seconds(overhead), Seconds(overhead), Seconds(gap), SecondsPerByte(per_byte)};
}

/// 1 + 2 + 1 us and 1000 B at 1 ns each; a rendezvous adds its handshake.
TEST(PointToPoint, HalfARoundTrip) {
  Wire w = wire(1e-6, 2e-6, 0, 1e-9);
  EXPECT_NEAR(half_round_trip(w, Bytes(1000)).value, 5e-6, 1e-18);
  w.eager = false;
  w.handshake = Seconds(3e-6);
  EXPECT_NEAR(half_round_trip(w, Bytes(1000)).value, 8e-6, 1e-18);
}

/// 9 messages of 1 us + 1000 B at 1 ns = 2 us behind the first; that and the reply's 4 B take 5 us and 4.004
/// us.
TEST(PointToPoint, Window) {
  const Wire w = wire(1e-6, 2e-6, 1e-6, 1e-9);
  EXPECT_NEAR(windowed(w, w, Bytes(1000), 10).value, (9 * 2e-6 + 5e-6 + 4.004e-6) / 10, 1e-15);
  EXPECT_NEAR(windowed(wire(5e-6, 0, 0, 1e-9), w, Bytes(1), 100).value, 5e-6, 5e-7);
}

/// Tables made from known parameters, with noise and an outlier each: the fit's intervals hold the
/// parameters.
TEST(PointToPoint, KnownParametersComeBack) {
  int fixed = 0, gap = 0, per_byte = 0, one_piece = 0;
  const int tables = 60;
  const auto holds = [](auto estimate, double truth) {
    return std::abs(estimate.value.value - truth) <= 2 * estimate.deviation.value;
  };
  for (unsigned seed = 0; seed < tables; ++seed) {
    const Wire w = wire(0.4e-6, 1.2e-6, 0.5e-6, 8.5e-11);
    const auto latency = [&](double n) { return half_round_trip(w, Bytes(n)).value; };
    const auto messages = [&](double n) { return windowed(w, w, Bytes(n), 64).value; };
    PathTables t{table(latency, 0.02, seed), table(messages, 0.02, seed + 1000)};
    t.latency[seed % 23].time = 2 * t.latency[seed % 23].time;
    t.messages[(seed + 11) % 23].time = 2 * t.messages[(seed + 11) % 23].time;
    const PathFit fit = fit_path(t);
    if (fit.pieces.size() > 1) continue;
    ++one_piece;
    fixed += holds(*fit.pieces[0].fixed, 2e-6);
    gap += holds(*fit.pieces[0].gap, 0.5e-6);
    per_byte += holds(fit.pieces[0].per_byte, 8.5e-11);
  }
  EXPECT_GE(one_piece, 0.75 * tables);
  EXPECT_GE(fixed, 0.8 * one_piece);
  EXPECT_GE(gap, 0.8 * one_piece);
  EXPECT_GE(per_byte, 0.8 * one_piece);
}

/// Copies on the way slow one message down, and no window.
TEST(PointToPoint, CopiesShowInTheLatencyAlone) {
  PathTables t{table([](double n) { return 1e-6 + n * 3e-10; }, 0, 1),
               table([](double n) { return 2e-7 + n * 1e-10; }, 0, 1)};
  t.window = 1;
  const PathFit fit = fit_path(t);
  ASSERT_EQ(fit.pieces.size(), 1u);
  EXPECT_NEAR(fit.pieces[0].per_byte.value.value, 1e-10, 1e-14);
  EXPECT_NEAR(fit.pieces[0].copied.value, 2e-10, 1e-14);
  EXPECT_NEAR(fit.latency(Bytes(1e6)).value, 301e-6, 1e-9);
}

/// A bandwidth of one size is its bytes'; what small messages take beyond their bytes is theirs.
TEST(PointToPoint, BandwidthOfOneSize) {
  const auto fit = [](Samples latency, double size, double time) {
    PathTables t{std::move(latency), {{Bytes(size), Seconds(time)}}};
    t.window = 1;
    return fit_path(t).pieces.back();
  };
  const Samples latency = table([](double n) { return 3e-6 + n * 1e-10; }, 0, 1);
  const PathPiece large = fit(latency, 4194304, 4194304 * 0.9e-10);
  EXPECT_EQ(large.gap->value, Seconds());
  EXPECT_NEAR(large.per_byte.value.value, 0.9e-10, 1e-14);
  const PathPiece small = fit(latency, 64, 1e-6);
  EXPECT_NEAR(small.per_byte.value.value, 1e-10, 1e-12);
  EXPECT_NEAR(small.gap->value.value, 1e-6 - 64e-10, 1e-9);
  const PathPiece pair = fit({{Bytes(1), Seconds(2.5e-6)}}, 268435456, 1e-3);
  EXPECT_EQ(pair.gap->value, Seconds());
  EXPECT_NEAR(pair.fixed->value.value, 2.5e-6, 1e-9);
  EXPECT_NEAR(fit({}, 8, 1e-6).gap->value.value, 1e-6, 1e-15);
}

/// Links of a hundredth of the table's pace say nothing about it.
TEST(PointToPoint, LinksThatTheTableContradicts) {
  const PathTables t{table([](double n) { return 1e-6 + n * 1e-10; }, 0, 1),
                     table([](double n) { return 2e-7 + n * 1e-10; }, 0, 1), 1};
  const PathFit fit = fit_path(t, SecondsPerByte(1e-8));
  EXPECT_TRUE(fit.levelled.empty());
  EXPECT_NEAR(fit.latency(Bytes(1)).value, 1e-6, 1e-9);
  EXPECT_NEAR(fit.latency(Bytes(1e6)).value, 101e-6, 3e-7);  // the largest took 1.0024e-10 a byte
}

TEST(PointToPoint, OneTableAlone) {
  const Samples samples = table([](double n) { return 1e-6 + n * 3e-10; }, 0, 1);
  const PathFit latency = fit_path({samples, {}});
  EXPECT_FALSE(latency.pieces[0].gap);
  EXPECT_NEAR(latency.pieces[0].per_byte.value.value, 3e-10, 1e-14);
  const PathFit messages = fit_path({{}, samples});
  EXPECT_FALSE(messages.pieces[0].fixed);
  const PathPiece& piece = messages.pieces[0];
  EXPECT_NEAR((piece.gap->value + Bytes(1e6) * piece.per_byte.value).value, 301e-6, 1e-9);
}

}  // namespace
}  // namespace collcast
