// SPDX-License-Identifier: Apache-2.0
#include "cli/offload.hpp"

#include <cmath>

#include "support/error.hpp"

namespace collcast::cli {

void add_offload(CLI::App& verb, OffloadOptions& options) {
  CLI::Option* offload =
      verb.add_option(
              "--offload", options.who,
              "Ranks compute meanwhile: dpu has cores of each node's DPU play, none the ranks themselves "
              "as far as they get; says how much is hidden, as OSU's benchmarks do")
          ->check(CLI::IsMember({"dpu", "none"}))
          ->option_text("dpu|none");
  verb.add_option("--workers", options.workers, "Cores of a node's DPU that play (default: all)")
      ->needs(offload)
      ->option_text("W");
  verb.add_option("--compute", options.compute, "Computation of a rank (default: as long as the collective)")
      ->needs(offload)
      ->option_text("SECONDS");
}

void check(const OffloadOptions& options, const Engine& engine) {
  if (!options.asked()) return;
  const auto knows = options.to_dpu() ? &Engine::workers : &Engine::overlap;
  if (!(engine.*knows)) {
    std::string able;
    for (const Engine& e : engines())
      if (e.*knows) able += (able.empty() ? "" : " or ") + std::string(e.name);
    throw InputError("--offload " + options.who + " goes with --engine " + able);
  }
  if (options.workers && !options.to_dpu()) throw InputError("--workers goes with --offload dpu");
  if (options.workers && (*options.workers < 1 || *options.workers > 1024))
    throw InputError("--workers must be from 1 to 1024, not " + std::to_string(*options.workers));
  if (options.compute && !(*options.compute >= 0 && std::isfinite(*options.compute)))
    throw InputError("--compute must be a number of seconds, 0 or more");
}

int workers(const OffloadOptions& options, const Description& platform) {
  if (!options.to_dpu()) return 0;
  if (options.workers) return static_cast<int>(*options.workers);
  return std::max(1, Machine(platform, 1).dpu_cores());
}

OverlapPrediction predict(const OffloadOptions& options, const Forecaster& forecaster, const Algorithm& a,
                          const Call& call, const Engine& engine) {
  std::optional<Seconds> compute;
  if (options.compute) compute = Seconds(*options.compute);
  return options.to_dpu() ? predict_offloaded(forecaster, a, call, engine, compute)
                          : predict_overlapped(forecaster, a, call, compute);
}

std::string heading(const OffloadOptions& options, const Description& platform) {
  if (!options.asked()) return {};
  if (!options.to_dpu()) return ", begun by the ranks before they compute";
  const int cores = workers(options, platform);
  return ", played by " + (cores == 1 ? "a core" : std::to_string(cores) + " cores") +
         " of each node's DPU while the ranks compute";
}

void add_overlap(Json& row, const OffloadOptions& options, int workers, const Overlap& overlap) {
  row["offload"] = options.who;
  row["workers"] = workers;
  row["compute_s"] = overlap.compute_s;
  row["total_s"] = overlap.total_s;
  row["overlap_percent"] = overlap.percent();
}

}  // namespace collcast::cli
