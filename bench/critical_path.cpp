// SPDX-License-Identifier: Apache-2.0
// Transfers per second of the critical path of a streamed ring allreduce. A bare array loop of the same
// recurrence is timed in the same run; so is the proof.
#include "model/critical_path.hpp"

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <iostream>
#include <numeric>

#include "algorithms/catalogue.hpp"
#include "model/proof.hpp"

namespace collcast {
namespace {

constexpr AlphaBetaGamma machine{Seconds(1e-6), SecondsPerByte(1e-10), SecondsPerByte(1e-11)};
const Bytes message(1 << 26);
double seconds_per_transfer_of_path = 0, seconds_per_transfer_of_loop = 0;

double transfers(Rank p) {
  return 2.0 * p * (p - 1.0);
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec) + 1e-6 * static_cast<double>(used.ru_utime.tv_usec);
}

void report(benchmark::State& state, Rank p, double begin, double& per_transfer) {
  per_transfer = (cpu_seconds() - begin) / transfers(p) / static_cast<double>(state.iterations());
  state.counters["transfers/s"] = 1 / per_transfer;
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  state.counters["peak_MiB"] = static_cast<double>(used.ru_maxrss) / 1024;
}

/// The schedule without its statement that steps repeat, so that every step is read.
Schedule read_whole(const Schedule& a) {
  return {a.ranks, a.blocks, a.steps, [rule = a.rule](std::int64_t s, Step& step) { rule(s, step); }};
}

void ring_critical_path(benchmark::State& state, bool folded) {
  Call call;
  call.ranks = static_cast<Rank>(state.range(0));
  call.message = message;
  const Algorithm& ring = algorithm(Collective::allreduce, "ring");
  const double begin = cpu_seconds();
  for (auto _ : state) {
    const Schedule schedule = folded ? ring.schedule(call) : read_whole(ring.schedule(call));
    const auto path =
        critical_path(schedule, layout(ring, call, schedule), UniformNetwork(machine, call.ranks));
    const double formula = ring.time(call, machine).value;
    if (std::abs(path.time.value - formula) > 1e-9 * formula) state.SkipWithError("differs from the formula");
  }
  double of_the_folded = 0;
  report(state, call.ranks, begin, folded ? of_the_folded : seconds_per_transfer_of_path);
}

/// Computes each rank's end of a step from its own and its neighbour's, in a plain array: no schedule, no
/// ports, no layout.
void bare_array_loop(benchmark::State& state) {
  const auto p = static_cast<std::size_t>(state.range(0));
  const double transfer = 1e-6 + 67108864.0 / static_cast<double>(p) * 1e-10;
  const double begin = cpu_seconds();
  for (auto _ : state) {
    std::vector<double> ready(p), next(p);
    for (std::size_t step = 0; step < 2 * (p - 1); ++step) {
      const double reduction = step < p - 1 ? 67108864.0 / static_cast<double>(p) * 1e-11 : 0;
      double before = ready[p - 1];
      for (std::size_t r = 0; r < p; ++r) {
        next[r] = std::max(before, ready[r]) + transfer + reduction;
        before = ready[r];
      }
      ready.swap(next);
    }
    benchmark::DoNotOptimize(std::accumulate(ready.begin(), ready.end(), 0.0));
  }
  report(state, static_cast<Rank>(p), begin, seconds_per_transfer_of_loop);
}

void proof_of_ring(benchmark::State& state) {
  Call call;
  call.ranks = static_cast<Rank>(state.range(0));
  const Algorithm& ring = algorithm(Collective::allreduce, "ring");
  for (auto _ : state)
    if (prove(ring.schedule(call), ring.collective)) state.SkipWithError("does not hold");
}

BENCHMARK(bare_array_loop)->Arg(27648)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(ring_critical_path, every_step, false)->Arg(27648)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(ring_critical_path, folded, true)
    ->Arg(27648)
    ->Arg(1 << 20)
    ->Iterations(1)
    ->Unit(benchmark::kSecond);
BENCHMARK(proof_of_ring)->Arg(1024)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace collcast

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  using namespace collcast;
  if (seconds_per_transfer_of_loop > 0 && seconds_per_transfer_of_path > 0)
    std::cout << "critical path: " << seconds_per_transfer_of_loop / seconds_per_transfer_of_path
              << " of the rate of the bare array loop\n";
}
