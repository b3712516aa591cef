// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/step.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "workloads/training/check.hpp"
#include "workloads/training/plan.hpp"
#include "workloads/training/reducer.hpp"

namespace collcast::workloads {
namespace {

constexpr int phases = 4;

/// Plays the job in each phase that a coordinator's rounds may have.
template <class Of>
auto in_phases(Job job, const Of& of) {
  std::vector<decltype(of(job))> all;
  if (!job.coordinator || job.coordinator->cycle == Seconds()) {
    all.push_back(of(job));
    return all;
  }
  for (int i = 0; i < phases; ++i) {
    job.coordinator->phase = (i + 0.5) / phases * job.coordinator->cycle;
    all.push_back(of(job));
  }
  return all;
}

std::vector<Played> play_phases(const Job& job, const PlayOf& play, End end) {
  return in_phases(job, [&](const Job& in_phase) { return play(in_phase, end); });
}

/// The last phase, with the mean times of all.
Played mean(const std::vector<Played>& all) {
  Played mean = all.back();
  for (Seconds Played::*time :
       {&Played::time, &Played::communication, &Played::hidden, &Played::waiting, &Played::agreement}) {
    Seconds sum;
    for (const Played& one : all) sum += one.*time / static_cast<double>(all.size());
    mean.*time = sum;
  }
  return mean;
}

/// Where the time goes, in the mean over the phases; phases without spans give nothing.
std::vector<ActivitySummary> summary_of(const Job& job, const std::vector<Played>& all) {
  Played joined;
  for (const Played& one : all) {
    for (Span s : one.spans) {
      for (Seconds Span::*when : {&Span::start, &Span::moves, &Span::end}) s.*when += joined.time;
      joined.spans.push_back(std::move(s));
    }
    joined.time += one.time;
  }
  if (joined.spans.empty()) return {};
  std::vector<ActivitySummary> rows = summary(job, joined);
  const auto n = static_cast<double>(all.size());
  for (ActivitySummary& row : rows) {
    row.count = std::max(1LL, std::llround(static_cast<double>(row.count) / n));
    row.total = row.total / n, row.exposed = row.exposed / n;
  }
  std::erase_if(rows, [](const ActivitySummary& row) { return row.total == Seconds(); });
  return rows;
}

/// Moves the rates of the platform's storage, and of the way to it, to an end of their uncertainty.
void move_storage(Training& t, bool slow) {
  t.adapters.rate = (slow ? t.adapters.least : t.adapters.most) * t.adapters.rate;
  if (t.input) {
    Input& in = *t.input;
    const double by = slow ? in.least : in.most;
    for (BytesPerSecond* rate : {&in.shared, &in.local, &in.target}) *rate = by * *rate;
    in.opens *= by;
  }
  if (t.checkpoint) {
    Checkpoint& c = *t.checkpoint;
    for (BytesPerSecond* rate : {&c.shared, &c.node, &c.target}) *rate = (slow ? c.least : c.most) * *rate;
  }
}

/// The training with processor times at an end of their uncertainty. A measured throughput has its own stated
/// error.
Training moved(Training t, bool slow) {
  move_storage(t, slow);
  if (t.throughput) {
    *t.throughput *= 1 + (slow ? -1 : 1) * t.throughput_error;
    return t;
  }
  const double uncertainty = 1 + t.processor.efficiency.uncertainty,
               factor = slow ? uncertainty : 1 / uncertainty;
  Processor& p = t.processor;
  p.flops /= factor;
  p.fp8_flops /= factor;
  p.bandwidth = p.bandwidth / factor;
  scale_host(p.efficiency, factor);
  return t;
}

/// By how many standard deviations the slowest of `ranks` is behind the mean (Blom 1958).
double slowest(Rank ranks) {
  return ranks == 1 ? 0 : quantile(boost::math::normal(), (ranks - 0.375) / (ranks + 0.25));
}
/// The same for a fast or a slow step: in 5 % of all steps the slowest rank is less behind than this, or
/// more.
double slowest(Rank ranks, bool slow) {
  return quantile(boost::math::normal(), std::pow(slow ? 0.95 : 0.05, 1.0 / ranks));
}

Stage slowest_stage(const Training& t) {
  Stage slowest{"", Seconds()};
  if (t.input)
    for (const Stage& stage : stages(*t.input, t)) slowest = stage.time > slowest.time ? stage : slowest;
  return slowest;
}

std::vector<LimitShare> bottlenecks(const Training& t, const StepForecast& step) {
  const Limits work = limits(t);
  std::vector<LimitShare> all = {{"arithmetic", work.arithmetic / step.time},
                                 {"memory bandwidth", work.memory / step.time},
                                 {"communication", step.communication / step.time}};
  if (t.processor.memory > Bytes()) all.push_back({"memory size", step.memory.sum() / t.processor.memory});
  if (t.input)
    for (const Stage& stage : stages(*t.input, t))
      all.push_back({"input: " + stage.name, stage.time / step.time});
  std::ranges::stable_sort(all, std::ranges::greater(), &LimitShare::share);
  return all;
}

/// The stall of checkpoints per step.
Seconds checkpoint_share(const Training& t, Seconds step) {
  return t.checkpoint ? checkpoint_stall(*t.checkpoint, t, step) / t.checkpoint->every : Seconds();
}

/// What a step that waits for checkpoints is limited by: the slowest part of their way.
std::string checkpoints(const Training& t) {
  const Stage slowest = t.checkpoint ? slowest_write(*t.checkpoint, t) : Stage{};
  return slowest.time > Seconds() ? "checkpoints: " + slowest.name : "checkpoints";
}

std::vector<Wait> waits(const StepForecast& step, const std::string& input) {
  std::vector<Wait> all = {{"the slowest rank's computation", step.waiting},
                           {"input: " + input, step.input},
                           {"checkpoint", step.checkpoint}};
  std::erase_if(all, [](const Wait& w) { return w.time <= Seconds(); });
  return all;
}

/// The rows of each role, with the step's waits that are not in the job.
std::vector<ActivitySummary> with_waits(const Job& job, const std::vector<ActivitySummary>& rows,
                                        const std::vector<Wait>& waits) {
  std::vector<ActivitySummary> all;
  if (rows.empty()) return all;  // played messages do not tell which activity they belong to
  for (const Role& role : job.roles) {
    std::ranges::copy_if(rows, std::back_inserter(all),
                         [&](const auto& row) { return row.role == role.name; });
    for (const Wait& w : waits) all.push_back({role.name, w.name, 1, w.time, w.time});
  }
  return all;
}

/// The fastest of what Horovod's autotuning searches: fusion up to 64 MB, cycles of 1 to 100 ms, with and
/// without levels (horovod/common/parameter_manager.cc). Stated settings stay. Of equally fast points it is
/// the first.
Framework tuned(Training t, const PlayOf& play) {
  Framework best = t.framework;
  Seconds least(HUGE_VAL);
  std::vector<bool> levels = {false};
  if (t.ranks > t.ranks_per_node && goes_by_levels(t)) levels.push_back(true);
  if (best.keeps_levels) levels = {best.hierarchical};
  std::vector<Bytes> fusions;
  for (const double MiB : {64, 32, 16, 8, 4, 2, 1}) fusions.push_back(MiB * Bytes(1048576));
  if (best.keeps_fusion) fusions = {best.fusion};
  std::vector<Seconds> cycles;
  for (const double ms : {1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0}) cycles.emplace_back(ms * 1e-3);
  if (best.keeps_cycle) cycles = {best.cycle};
  for (const bool hierarchical : levels)
    for (const Bytes fusion : fusions)
      for (const Seconds cycle : cycles) {
        t.framework.hierarchical = hierarchical, t.framework.fusion = fusion, t.framework.cycle = cycle;
        const Seconds time = mean(play_phases(training_job(t), play, End::middle)).time;
        if (time < (1 - 1e-6) * least) best = t.framework, least = time;
      }
  return best;
}

}  // namespace

StepForecast forecast_step(const Training& asked, const PriceOf& price) {
  return forecast_step(
      asked, price, [&](const Job& job, End end) { return play(job, price, end); },
      [&](const Job& job) { return lower_bound(job, price); });
}

StepForecast forecast_step(const Training& asked, const PriceOf& price, const PlayOf& play_job,
                           const BoundOf& bound_job) {
  Training t = asked;
  if (t.framework.autotune && t.ranks > 1)
    t.framework = tuned(t, [&](const Job& job, End end) { return play(job, price, end); });
  const Job job = training_job(t);
  const std::vector<Played> all = play_phases(job, play_job, End::middle);
  Played played = mean(all);
  const Rank processes = t.framework.processes_per_gpu * t.ranks;
  const Stage input = slowest_stage(t);
  StepForecast step;
  static_cast<JobForecast&>(step) = parts(played);
  step.agreement = played.agreement;
  step.waiting = t.noise * slowest(processes) * step.compute;
  step.input = std::max(Seconds(), input.time - played.time - step.waiting);
  const auto whole = [&](const Training& as, const Played& p, double behind) {
    const Seconds busy = std::max(p.time + t.noise * behind * p.compute, slowest_stage(as).time);
    return busy + checkpoint_share(as, busy);
  };
  step.time = whole(t, played, slowest(processes));
  step.checkpoint = step.time - std::max(played.time + step.waiting, input.time);
  const auto at_end = [&](bool slow) {
    const Training at = moved(t, slow);
    return whole(at, mean(play_phases(training_job(at), play_job, slow ? End::high : End::low)),
                 slowest(processes, slow));
  };
  step.low = std::min(step.time, at_end(false));
  step.high = std::max(step.time, at_end(true));
  step.bound = std::ranges::min(in_phases(job, bound_job), {}, &JobBound::time);
  const Seconds worked = step.bound.time + step.waiting;
  if (input.time > worked) step.bound.cut = "input: " + input.name;
  const Seconds busy = std::max(worked, input.time);
  step.bound.time = std::min(step.time, busy + checkpoint_share(t, busy));
  step.bound.calibrated &= t.throughput || t.processor.calibrated || (t.layer_times && without_times(t) == 0);
  step.alone = step_alone(t);
  step.samples = global_batch(t);
  step.efficiency = (step.samples / step.time.value) / (t.ranks * (batch(t) / step.alone.value));
  step.memory = memory_need(t);
  // If reading is too slow, it goes on during the whole step.
  step.limited_by = limit(step, played.limited_by,
                          {{"the slowest rank's computation", step.waiting},
                           {"input: " + input.name, step.input > Seconds() ? input.time : Seconds()},
                           {checkpoints(t), step.checkpoint}});
  step.bottlenecks = bottlenecks(t, step);
  step.waits = waits(step, input.name);
  step.activities = with_waits(job, summary_of(job, all), step.waits);
  step.spans = std::move(played.spans);
  step.framework = t.framework;
  return step;
}

Seconds start_broadcast(const Training& t, const PriceOf& price) {
  const Plan plan(t);
  const Job job = training_job(t);
  const Framework& f = t.framework;
  const int sharded = f.reduction == Framework::Reduction::sharded ? f.stage : 0;
  if (sharded == 3 && f.shard == 0) return {};  // no two ranks hold the same
  // bytes per parameter: 32 bits and one or two moments; with a sharded optimizer, the parameter as computed
  // with
  const Bytes each = sharded == 1 || sharded == 2 ? element(t.precision) : Bytes(plan.adam() ? 12 : 8);
  const auto among = [&](int group, double parameters) {
    const RankGroup ranks = job.members(job.groups[static_cast<std::size_t>(group)].dimensions);
    if (ranks.size() == 1 || parameters == 0) return Seconds();
    return price({Collective::broadcast, ranks, parameters * each}).time;
  };
  if (sharded == 3) return among(cross_group, plan.sharded_parameters(0));
  double owned = 0;  // parameters of experts, which fewer ranks hold
  for (int c = 0; c < plan.chunks; ++c)
    for (std::size_t i = plan.part(0, c).first; i < plan.part(0, c).last; ++i)
      if (plan.owned(plan.layers()[i]))
        for (const double elements : plan.tensors(plan.layers()[i])) owned += elements;
  return among(data_group, plan.parameters(0) - owned) + among(cross_group, owned);
}

}  // namespace collcast::workloads
