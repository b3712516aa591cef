// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/step.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "workloads/training/plan.hpp"
#include "workloads/training/reducer.hpp"

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
    one.agreement = one.agreement / phases + mean.agreement;
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

/// By how many standard deviations the slowest of `ranks` is behind the mean (Blom 1958).
double slowest(Rank ranks) {
  return ranks == 1 ? 0 : quantile(boost::math::normal(), (ranks - 0.375) / (ranks + 0.25));
}

Stage slowest_stage(const Training& t) {
  Stage slowest{"", Seconds()};
  if (t.input)
    for (const Stage& stage : stages(*t.input, t)) slowest = stage.time > slowest.time ? stage : slowest;
  return slowest;
}

std::vector<LimitShare> bottlenecks(const Training& t, const StepForecast& step) {
  const Limits work = limits_alone(t);
  // of the work, where ranks share a replica or a GPU
  const double per_rank = t.framework.per_gpu * (step.compute / step.alone) / crowding(t);
  std::vector<LimitShare> all = {{"arithmetic", per_rank * work.arithmetic / step.time},
                                 {"memory bandwidth", per_rank * work.memory / step.time},
                                 {"communication", (step.exposed + step.hidden) / step.time}};
  if (t.processor.memory > Bytes()) all.push_back({"memory size", step.memory.sum() / t.processor.memory});
  if (t.input)
    for (const Stage& stage : stages(*t.input, t))
      all.push_back({"input: " + stage.name, stage.time / step.time});
  std::ranges::stable_sort(all, std::ranges::greater(), &LimitShare::share);
  return all;
}

/// Of a step, in the mean.
Seconds checkpoint_share(const Training& t, Seconds step) {
  return t.checkpoint ? checkpoint_stall(*t.checkpoint, t, step) / t.checkpoint->every : Seconds();
}

std::string limit(const StepForecast& step, const Played& played, const Stage& input) {
  if (step.checkpoint > 0.5 * step.time) return "checkpoints";
  if (step.input > Seconds()) return "input: " + input.name;
  if (step.exposed < 0.1 * step.time) return "computation";
  if (played.communication == Seconds()) return "the pipeline's filling and draining";
  return "communication: " + played.limited_by;
}

/// The best of what Horovod's autotuning searches: fusion up to 64 MB, cycles of 1 to 100 ms, with levels and
/// without (horovod/common/parameter_manager.cc); of points that are equally fast the first.
Framework tuned(Training t, const PriceOf& price) {
  Framework best = t.framework;
  Seconds least(HUGE_VAL);
  const bool levels = t.ranks > t.ranks_per_node && t.ranks % t.ranks_per_node == 0;
  for (const bool hierarchical : {false, true})
    for (const double fusion_MiB : {64, 32, 16, 8, 4, 2, 1})
      for (const double cycle_ms : {1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0}) {
        if (hierarchical && !levels) continue;
        t.framework.hierarchical = hierarchical;
        t.framework.fusion = fusion_MiB * Bytes(1048576), t.framework.cycle = Seconds(cycle_ms * 1e-3);
        const Seconds time = play_phases(training_job(t), price, End::middle).time;
        if (time < (1 - 1e-6) * least) best = t.framework, least = time;
      }
  return best;
}

}  // namespace

StepForecast forecast_step(const Training& asked, const PriceOf& price) {
  Training t = asked;
  if (t.framework.autotune && t.ranks > 1) t.framework = tuned(t, price);
  Played played = play_phases(training_job(t), price, End::middle);
  const double uncertainty = 1 + t.processor.efficiency.uncertainty;
  const Stage input = slowest_stage(t);
  StepForecast step;
  step.compute = played.compute;
  step.exposed = std::max(Seconds(), played.time - played.compute);
  step.hidden = std::max(Seconds(), played.communication - step.exposed);
  step.communication = played.communication;
  step.agreement = played.agreement;
  step.waiting = t.noise * slowest(t.framework.per_gpu * t.ranks) * step.compute;
  step.input = std::max(Seconds(), input.time - played.time - step.waiting);
  const auto whole = [&](Seconds time) {
    const Seconds busy = std::max(time + step.waiting, input.time);
    return busy + checkpoint_share(t, busy);
  };
  step.time = whole(played.time);
  step.checkpoint = step.time - std::max(played.time + step.waiting, input.time);
  step.low =
      std::min(step.time, whole(play_phases(training_job(moved(t, 1 / uncertainty)), price, End::low).time));
  step.high =
      std::max(step.time, whole(play_phases(training_job(moved(t, uncertainty)), price, End::high).time));
  step.alone = step_alone(t);
  step.samples = global_batch(t);
  step.efficiency = (step.samples / step.time.value) / (t.ranks * (t.batch / step.alone.value));
  step.memory = memory_need(t);
  step.limited_by = limit(step, played, input);
  step.bottlenecks = bottlenecks(t, step);
  step.spans = std::move(played.spans);
  step.framework = t.framework;
  return step;
}

Seconds start_broadcast(const Training& t, const PriceOf& price) {
  const Plan plan(t);
  const Job job = training_job(t);
  const RankGroup group = job.members(job.groups[data_group].dimensions);
  if (group.size() == 1) return {};
  return price({Collective::broadcast, group, plan.parameters(0) * Bytes(plan.adam() ? 12 : 8)}).time;
}

}  // namespace collcast::workloads
