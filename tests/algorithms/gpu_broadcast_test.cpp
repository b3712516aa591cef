// SPDX-License-Identifier: Apache-2.0
// The printed formulas of the ICPP 2017 study are the critical paths on the machine that they assume.
#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/catalogue.hpp"
#include "model/critical_path.hpp"
#include "tests/algorithms/gpu_machine.hpp"

namespace collcast {
namespace {

using namespace printed;

constexpr Bytes M(67108864), C(524288), U(4096);
constexpr GpuMachine machine{Seconds(1e-6),        Seconds(0.1e-6),     U,
                             BytesPerSecond(12e9), BytesPerSecond(3e9), BytesPerSecond(10e9)};

double path(std::string_view name, const Call& call, Collective collective = Collective::broadcast) {
  const Algorithm& a = algorithm(collective, name);
  const Schedule s = a.schedule(call);
  const GpuNetwork network(machine, call.ranks);
  return critical_path(s, layout(a, call, s), network).time.value;
}

TEST(GpuBroadcast, FormulasGiveTheReferenceTimes) {
  constexpr double ms = 1e-3, digits = 5e-10;  // printed to a nanosecond
  EXPECT_NEAR(ring_direct(16, M, machine).value, 335.559320 * ms, digits);
  EXPECT_NEAR(ring_staging(16, M, machine).value, 90.611966 * ms, digits);
  EXPECT_NEAR(ring_pipeline(16, M, C, machine).value, 24.958299 * ms, digits);
  EXPECT_NEAR(ring_pipeline(16, M, Bytes(119918.6), machine).value, 23.502862 * ms, digits);
  EXPECT_NEAR(knomial_direct(16, 2, M, machine).value, 89.482485 * ms, digits);
  EXPECT_NEAR(knomial_staging(16, 2, M, machine).value, 29.084508 * ms, digits);
  EXPECT_NEAR(knomial_pipeline(16, 2, M, C, machine).value, 89.990485 * ms, digits);
  EXPECT_NEAR(multicast(M, machine).value, 40.392021 * ms, digits);
  EXPECT_NEAR(streaming(M, C, machine).value, 23.667234 * ms, digits);
}

TEST(GpuBroadcast, StreamingPaysFromTheBreakEvenSizeOn) {
  const Bytes even = C / (machine.copy * (1 / machine.read_device - 1 / machine.read_host));
  EXPECT_NEAR(even.value, 209715.2, 1e-6);
  EXPECT_NEAR(streaming(even, C, machine).value, multicast(even, machine).value, 1e-15);
}

TEST(GpuBroadcast, FormulasAreTheCriticalPaths) {
  for (Rank n = 2; n <= 33; ++n)
    for (int k : {2, 3, 4, 8, n})
      for (Block chunks : {1, 2, 16}) {
        if (k < 2) continue;
        const Bytes whole(1 << 20), chunk = whole / static_cast<double>(chunks);
        const Call call{.ranks = n, .root = n / 2, .radix = k, .message = whole, .segments = chunks};
        auto same = [&](std::string_view name, Seconds formula) {
          EXPECT_NEAR(path(name, call), formula.value, 1e-9 * formula.value)
              << name << ", " << n << " ranks, radix " << k << ", " << chunks << " chunks";
        };
        same("ring-direct", ring_direct(n, whole, machine));
        same("ring-staging", ring_staging(n, whole, machine));
        same("ring-pipeline", ring_pipeline(n, whole, chunk, machine));
        same("knomial-direct", knomial_direct(n, k, whole, machine));
        same("knomial-staging", knomial_staging(n, k, whole, machine));
        same("knomial-pipeline", knomial_pipeline(n, k, whole, chunk, machine));
        same("multicast", multicast(whole, machine));
        same("multicast-streaming", streaming(whole, chunk, machine));
      }
}

/// The study prints no formula for m sources; these follow from its streaming formula.
TEST(GpuBroadcast, SourcesOverlapAsFarAsTheirDesignLets) {
  const Bytes whole(1 << 20), chunk = whole / 4;  // per source
  const Seconds first = chunk / machine.copy;
  const Seconds stream = streaming(whole, chunk, machine) - first;
  for (Rank n : {2, 5, 8})
    for (Rank sources = 1; sources <= n; ++sources) {
      const Call call{.ranks = n, .root = sources - 1, .message = sources * whole, .segments = 4};
      auto same = [&](std::string_view name, Seconds formula) {
        EXPECT_NEAR(path(name, call, Collective::multi_broadcast), formula.value, 1e-9 * formula.value)
            << name << ", " << sources << " sources of " << n << " ranks";
      };
      same("ring", (n - 1) * (machine.setup + whole / machine.read_device));
      same("multicast", sources * multicast(whole, machine));
      same("streaming", sources * (first + stream));
      same("prestaged", first + sources * stream);
      same("overlapped", first + std::min(sources, n - 1) * stream);
    }
}

/// Sources 0 and r, 1 and r + 1, ... share one of a receiver's r adapters.
TEST(GpuBroadcast, ReceiversThatTakeDataInFasterHideTheSources) {
  const Bytes whole(1 << 20), chunk = whole / 4;
  const Rank n = 8;
  for (Rank adapters : {2, 3, 8})
    for (Rank sources = 1; sources <= n; ++sources) {
      GpuMachine fast = machine;
      fast.adapters = adapters;
      const Call call{.ranks = n, .root = sources - 1, .message = sources * whole, .segments = 4};
      const Algorithm& a = algorithm(Collective::multi_broadcast, "overlapped");
      const Schedule s = a.schedule(call);
      const double is = critical_path(s, layout(a, call, s), GpuNetwork(fast, n)).time.value;
      const Seconds first = chunk / machine.copy, stream = streaming(whole, chunk, machine) - first;
      const Rank turns = (sources + adapters - 1) / adapters;
      EXPECT_NEAR(is, (first + turns * stream).value, 1e-9 * is) << adapters << " " << sources;
    }
}

/// With a slow copy the printed formula is too short: the copies, not the packets, set the pace.
TEST(GpuBroadcast, StreamingWaitsForSlowCopies) {
  GpuMachine slow = machine;
  slow.copy = BytesPerSecond(1e9);
  const Call call{.ranks = 4, .message = M, .segments = 128};
  const Algorithm& a = algorithm(Collective::broadcast, "multicast-streaming");
  const Schedule s = a.schedule(call);
  const double is = critical_path(s, layout(a, call, s), GpuNetwork(slow, 4)).time.value;
  const Seconds packets = C / U * (slow.setup + slow.packet_overhead + U / slow.read_host);
  EXPECT_NEAR(is, (M / slow.copy + packets).value, 1e-9 * is);
  EXPECT_GT(is, streaming(M, C, slow).value);
}

}  // namespace
}  // namespace collcast
