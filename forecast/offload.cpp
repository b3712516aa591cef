// SPDX-License-Identifier: Apache-2.0
#include "forecast/offload.hpp"

#include "model/staging.hpp"

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

}  // namespace collcast
