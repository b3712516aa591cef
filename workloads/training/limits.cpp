// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "workloads/training/plan.hpp"

namespace collcast::workloads {
namespace {

/// How often a stage computes a part in a step.
struct Plays {
  double forward = 0, backward = 0, again = 0;
};

std::map<std::size_t, Plays> plays(const Plan& plan, int stage) {
  std::map<std::size_t, Plays> all;
  for (const Pass& pass : order(plan.training.framework, stage)) {
    Plays& part = all[plan.index(stage, pass)];
    (pass.backward ? part.backward : part.forward) += 1;
    if (pass.backward && plan.repeats_micro_batch(pass.micro)) part.again += 1;
  }
  return all;
}

struct Work {
  Seconds time, optimizer;  ///< the optimizer's time is also in `time`
  Limits limits;
};

Work work(const Plan& plan, int stage) {
  Work sum;
  for (const auto& [part, n] : plays(plan, stage))
    for (std::size_t i = plan.parts[part].first; i < plan.parts[part].last; ++i) {
      const Layer& l = plan.layers()[i];
      const double forward = n.forward + (plan.repeats(l) ? n.again : 0);
      const LayerLimits one = plan.limits(i);
      sum.time += forward * plan.times[i].forward + n.backward * plan.times[i].backward;
      sum.limits.arithmetic += forward * one.forward.arithmetic + n.backward * one.backward.arithmetic;
      sum.limits.memory += forward * one.forward.memory + n.backward * one.backward.memory;
    }
  const bool sharded = plan.training.framework.reduction == Framework::Reduction::sharded;
  const double other = plan.training.framework.replicas > 1 ? plan.parameters(plan.mirror(stage)) : 0;
  const Seconds optimizer =
      plan.optimizer((sharded ? plan.sharded_parameters(stage) : plan.parameters(stage)) + other);
  sum.time += optimizer;
  sum.optimizer = optimizer;
  sum.limits.memory += optimizer;
  return sum;
}

}  // namespace

Limits limits(const Training& t) {
  const Plan plan(t);
  Work most;
  for (int stage = 0; stage < plan.pipeline; ++stage)
    if (const Work one = work(plan, stage); one.time >= most.time) most = one;
  const double processes = t.framework.processes_per_gpu / gpu_sharing_factor(t);
  return {processes * most.limits.arithmetic, processes * most.limits.memory};
}

Seconds least_step(const Training& t) {
  const Plan plan(t);
  const Framework& f = t.framework;
  Seconds most, before;
  for (int stage = 0; stage < plan.pipeline; ++stage) {
    const Work one = work(plan, stage);
    most = std::max(most, before + one.time);
    if (f.replicas == 1) before += (one.time - one.optimizer) / (1.0 * f.micro_batches * f.interleave);
  }
  return most;
}

}  // namespace collcast::workloads
