// SPDX-License-Identifier: Apache-2.0
// Messages per second of the contention engine: alltoall on Summit, whose links are shared by the ranks of a
// node and by the nodes of a switch, and on a fat tree of three levels that is thinned out 4 to 1.
#include "engines/contention/contention.hpp"

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "algorithms/catalogue.hpp"
#include "model/lowering.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/machine.hpp"

namespace collcast {
namespace {

void alltoall(benchmark::State& state, const Description& platform) {
  const auto ranks = static_cast<Rank>(state.range(0));
  const Call call{.ranks = ranks, .message = Bytes(64 << 20)};
  const Algorithm& pairwise = algorithm(Collective::alltoall, "pairwise");
  const Machine machine(platform, ranks);
  for (auto _ : state) {
    const Schedule schedule = pairwise.schedule(call);
    benchmark::DoNotOptimize(contend(*program(schedule, layout(pairwise, call, schedule)), machine));
  }
  state.counters["messages/s"] = benchmark::Counter(static_cast<double>(ranks) * (ranks - 1),
                                                    benchmark::Counter::kIsIterationInvariantRate);
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  state.counters["peak_MiB"] = static_cast<double>(used.ru_maxrss) / 1024;
}

void on_summit(benchmark::State& state) {
  alltoall(state, load_platform("summit"));
}

void on_a_thin_fat_tree(benchmark::State& state) {
  alltoall(state,
           parse_platform(R"({"base": "edr-cluster", "description": "nodes of edr-cluster", "max_nodes": 4096,
    "network": {"levels": [{"name": "leaf", "down": 16, "up": 4}, {"name": "spine", "down": 16, "up": 16},
                           {"name": "core", "down": 16}]}})",
                          "thin-fat-tree", "bench"));
}

BENCHMARK(on_summit)->Arg(512)->Arg(1536)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(on_a_thin_fat_tree)->Arg(1024)->Arg(4096)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace collcast

BENCHMARK_MAIN();
