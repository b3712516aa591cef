// SPDX-License-Identifier: Apache-2.0
#include "forecast/offload.hpp"

#include <algorithm>
#include <cmath>

#include "model/staging.hpp"
#include "support/error.hpp"

namespace collcast {

Algorithm on_dpu(const Algorithm& a) {
  Algorithm offloaded = a;
  offloaded.schedule = [schedule = a.schedule, &d = definition(a.collective)](const Call& c) {
    return staged(schedule(c), d, c.root, Memory::dpu);
  };
  return offloaded;
}

OverlapPrediction predict_offloaded(const Forecaster& forecaster, const Algorithm& a, const Call& call,
                                    const Engine& engine, std::optional<Seconds> compute) {
  OverlapPrediction p{forecaster.predict(a, call, engine), {}};
  const Handoff& handoff = forecaster.machine().handoff();
  p.overlap = overlap_with_workers(p.prediction.time, handoff, compute);
  for (Seconds* t : {&p.prediction.time, &p.prediction.low, &p.prediction.high}) *t += handoff.all;
  return p;
}

OverlapPrediction predict_overlapped(const Forecaster& forecaster, const Algorithm& a, const Call& call,
                                     std::optional<Seconds> compute) {
  const Schedule schedule = a.schedule(call);
  return {forecaster.predict(a, call, engine("path")),
          overlap_without_workers(schedule, layout(a, call, schedule), forecaster.fabric(), compute)};
}

void check(const Offload& options, const Engine& engine) {
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

int workers(const Offload& options, const Description& platform) {
  if (!options.to_dpu()) return 0;
  if (options.workers) return static_cast<int>(*options.workers);
  return std::max(1, Machine(platform, 1).dpu_cores());
}

OverlapPrediction predict_overlap(const Offload& options, const Forecaster& forecaster, const Algorithm& a,
                                  const Call& call, const Engine& engine) {
  std::optional<Seconds> compute;
  if (options.compute) compute = Seconds(*options.compute);
  return options.to_dpu() ? predict_offloaded(forecaster, a, call, engine, compute)
                          : predict_overlapped(forecaster, a, call, compute);
}

}  // namespace collcast
