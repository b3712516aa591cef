// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/step.hpp"

#include <algorithm>

namespace collcast::workloads {
namespace {

constexpr int phases = 4;

/// The mean over the phases of the coordinator's rounds.
Played play_phases(Job job, const PriceOf& price, End end) {
  if (!job.coordinator || job.coordinator->cycle == Seconds()) return play(job, price, end);
  Played mean;
  for (int i = 0; i < phases; ++i) {
    job.coordinator->phase = (i + 0.5) / phases * job.coordinator->cycle;
    Played one = play(job, price, end);
    one.time = one.time / phases + mean.time;
    one.communication = one.communication / phases + mean.communication;
    mean = std::move(one);
  }
  return mean;
}

/// Processor times moved by their uncertainty; a measured throughput has none.
Training moved(Training t, double factor) {
  if (t.throughput) return t;
  Processor& p = t.processor;
  p.flops /= factor;
  p.bandwidth = p.bandwidth / factor;
  p.efficiency.launch = factor * p.efficiency.launch;
  return t;
}

}  // namespace

StepForecast forecast_step(const Training& t, const PriceOf& price) {
  Played played = play_phases(training_job(t), price, End::middle);
  const double uncertainty = 1 + t.processor.efficiency.uncertainty;
  StepForecast step;
  step.time = played.time;
  step.low = std::min(step.time, play_phases(training_job(moved(t, 1 / uncertainty)), price, End::low).time);
  step.high = std::max(step.time, play_phases(training_job(moved(t, uncertainty)), price, End::high).time);
  step.compute = played.compute;
  step.exposed = std::max(Seconds(), played.time - played.compute);
  step.hidden = std::max(Seconds(), played.communication - step.exposed);
  step.alone = step_alone(t);
  step.samples = global_batch(t);
  step.efficiency = (step.samples / step.time.value) / (t.ranks * (t.batch / step.alone.value));
  step.memory = memory_need(t);
  step.limited_by = step.exposed < 0.1 * step.time      ? "computation"
                    : played.communication == Seconds() ? "the pipeline's filling and draining"
                                                        : "communication: " + played.limited_by;
  step.spans = std::move(played.spans);
  return step;
}

}  // namespace collcast::workloads
