// SPDX-License-Identifier: Apache-2.0
// Messages per second of the contention engine: alltoall on Summit, whose links are shared by the ranks of a
// node and by the nodes of a switch, and on a fat tree of three levels that is thinned out 4 to 1.
#include "engines/contention/contention.hpp"

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <memory>
#include <random>

#include "algorithms/catalogue.hpp"
#include "model/lowering.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/machine.hpp"

namespace collcast {
namespace {

/// A program whose ranks compute for a random time before each batch, `longest` at most.
class OutOfStep : public Program {
 public:
  OutOfStep(std::unique_ptr<Program> program, Seconds longest)
      : program_(std::move(program)), longest_(longest) {}
  Rank ranks() const override { return program_->ranks(); }
  std::unique_ptr<Strand> main(Rank rank) override {
    return std::make_unique<Late>(program_->main(rank), longest_, rank);
  }

 private:
  class Late : public Strand {
   public:
    Late(std::unique_ptr<Strand> strand, Seconds longest, Rank rank)
        : strand_(std::move(strand)), longest_(longest), random_(static_cast<unsigned>(rank)) {}
    bool next(Batch& batch) override {
      late_ = !late_;
      if (!late_) return strand_->next(batch);
      Op& compute = batch.ops.emplace_back();
      compute.time = share_(random_) * longest_;
      return true;
    }

   private:
    std::unique_ptr<Strand> strand_;
    Seconds longest_;
    std::mt19937 random_;
    std::uniform_real_distribution<> share_;
    bool late_ = false;
  };
  std::unique_ptr<Program> program_;
  Seconds longest_;
};

/// `jitter`: how long ranks compute before a step in the mean, as a share of a lone message's time.
void alltoall(benchmark::State& state, const Description& platform, double jitter = 0) {
  const auto ranks = static_cast<Rank>(state.range(0));
  const Call call{.ranks = ranks, .message = Bytes(64 << 20)};
  const Algorithm& pairwise = algorithm(Collective::alltoall, "pairwise");
  const Machine machine(platform, ranks);
  for (auto _ : state) {
    const Schedule schedule = pairwise.schedule(call);
    std::unique_ptr<Program> played = program(schedule, layout(pairwise, call, schedule));
    if (jitter > 0) {
      const Bytes bytes = call.message / ranks;
      const Seconds alone = bytes * machine.wire({0}, {ranks - 1}, bytes).per_byte;
      played = std::make_unique<OutOfStep>(std::move(played), 2 * jitter * alone);
    }
    benchmark::DoNotOptimize(contend(*played, machine));
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

void on_summit_out_of_step(benchmark::State& state) {
  alltoall(state, load_platform("summit"), 0.01);
}

void on_a_thin_fat_tree(benchmark::State& state) {
  alltoall(state,
           parse_platform(R"({"base": "edr-cluster", "description": "nodes of edr-cluster", "max_nodes": 4096,
    "network": {"levels": [{"name": "leaf", "down": 16, "up": 4}, {"name": "spine", "down": 16, "up": 16},
                           {"name": "core", "down": 16}]}})",
                          "thin-fat-tree", "bench"));
}

BENCHMARK(on_summit)->Arg(512)->Arg(1536)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(on_summit_out_of_step)->Arg(512)->Arg(1536)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(on_a_thin_fat_tree)->Arg(1024)->Arg(4096)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace collcast

BENCHMARK_MAIN();
