// SPDX-License-Identifier: Apache-2.0
#include "workloads/playing/rows.hpp"

#include <cmath>

#include "libraries/chooser.hpp"
#include "replay/application/report.hpp"
#include "support/json.hpp"
#include "support/text.hpp"
#include "workloads/compute/processor.hpp"
#include "workloads/training/plan.hpp"

namespace collcast::workloads {
namespace {

/// A whole number, if it fits 64 bits.
Json whole(double value) {
  return value < 9e18 ? Json(std::llround(value)) : Json(value);
}

bool fits(const Training& t, const StepForecast& s) {
  return t.processor.memory == Bytes() || s.memory.sum() <= t.processor.memory;
}

/// What rows of jobs and training steps have in common.
Json run_row(Rank ranks, int ranks_per_node, const JobForecast& f, double samples) {
  return {{"ranks", ranks},
          {"nodes", (ranks + ranks_per_node - 1) / ranks_per_node},
          {"ranks_per_node", std::min<int>(ranks_per_node, ranks)},
          {"step_s", f.time.value},
          {"low_s", f.low.value},
          {"high_s", f.high.value},
          {"lower_bound_s", f.bound.time.value},
          {"bound_cut", f.bound.cut},
          {"samples_per_s", samples > 0 && f.time > Seconds() ? Json(samples / f.time.value) : Json()},
          {"efficiency", f.time > Seconds() ? Json(f.compute / f.time) : Json()},
          {"compute_s", f.compute.value},
          {"exposed_communication_s", f.exposed.value},
          {"hidden_communication_s", f.hidden.value},
          {"communication_s", f.communication.value},
          {"bubble_s", f.bubble.value},
          {"io_s", 0.0},
          {"memory_B", nullptr},
          {"limited_by", f.limited_by},
          {"calibrated", f.bound.calibrated},
          {"transferred", f.bound.transferred ? Json(*f.bound.transferred) : Json()}};
}

/// Why ranks together may do more than equally many single processors.
std::string what_is_saved(const Training& t) {
  if (t.framework.processes_per_gpu > 1) return "processes that share a GPU fill each other's gaps";
  if (t.throughput && optimizer_share(t) < 1)
    return "ranks share out the optimizer's work, which the processor of --throughput does alone";
  if (t.framework.expert_parallel > 1) return "a rank reads the parameters of its own experts only";
  return "parts of the work take less time apart than together";
}

/// What a layer's time is spent on: launches, where the device would need less than half of it.
std::string layer_limit(Seconds time, const LayerLimits& limits) {
  const Seconds arithmetic = limits.forward.arithmetic + limits.backward.arithmetic;
  const Seconds memory = limits.forward.memory + limits.backward.memory;
  if (std::max(arithmetic, memory) < 0.5 * time) return "launches";
  return arithmetic >= memory ? "arithmetic" : "memory bandwidth";
}

bool is_collective(const ReplayReport::Operation& o) {
  return o.name != "send" && o.name != "recv" && o.name != "wait";
}

}  // namespace

Json job_row(const Job& job, const JobForecast& forecast, double samples, const Description& platform) {
  return run_row(job.ranks(), ranks_per_node(platform), forecast, samples);
}

Json train_row(const Training& t, const StepForecast& s, const PriceOf& price) {
  Json bottlenecks = Json::object(), tuned;
  if (const Framework& f = s.framework; f.autotune)
    tuned = {{"fusion_B", f.fusion.value}, {"cycle_s", f.cycle.value}, {"hierarchical", f.hierarchical}};
  for (const LimitShare& b : s.bottlenecks) bottlenecks[b.name] = b.share;
  Json row = run_row(t.ranks, t.ranks_per_node, s, s.samples);
  row.update({{"computation", t.throughput    ? "throughput"
                              : t.layer_times ? "layer times"
                                              : "roofline"},
              {"flops_per_s", s.samples * (t.model.flops() + t.model.backward_flops()) / s.time.value},
              {"efficiency", s.efficiency},
              {"agreement_s", s.agreement.value},
              {"waiting_s", s.waiting.value},
              {"io_s", s.input.value},
              {"staging_s", t.input && !t.input->stage.empty() ? Json(staging(*t.input, t).value) : Json()},
              {"checkpoint_s", s.checkpoint.value},
              {"memory_B", whole(s.memory.sum().value)},
              {"device_memory_B", t.processor.memory > Bytes() ? whole(t.processor.memory.value) : Json()},
              {"batch", batch(t)},
              {"global_batch", whole(s.samples)},
              {"fits", t.processor.memory > Bytes() ? Json(fits(t, s)) : Json()},
              {"tuned", tuned},
              {"bottlenecks", bottlenecks},
              {"start_broadcast_s", start_broadcast(t, price).value}});
  return row;
}

Json activity_rows(const JobForecast& f) {
  Json rows = Json::array();
  for (const ActivitySummary& a : f.activities)
    rows.push_back({{"role", a.role},
                    {"activity", a.name},
                    {"count", a.count},
                    {"total_s", a.total.value},
                    {"exposed_s", a.exposed.value},
                    {"share", f.time > Seconds() ? Json(a.exposed / f.time) : Json()}});
  return rows;
}

Json layer_rows(const Training& t) {
  const Plan plan(t);
  const bool known = t.processor.flops > 0;  // else the layers share the time as on a V100
  Seconds sum;
  for (const LayerTime& time : plan.times) sum += time.forward + time.backward;
  Json rows = Json::array();
  std::size_t part = 0;
  for (std::size_t i = 0; i < plan.layers().size(); ++i) {
    while (i == plan.parts[part].last) ++part;
    const Layer& layer = plan.layers()[i];
    const LayerTime& time = plan.times[i];
    const Seconds both = time.forward + time.backward;
    double parameters = 0;
    for (const double elements : plan.tensors(layer)) parameters += elements;
    rows.push_back(
        {{"layer", layer.name},
         {"kind", name(layer.kind)},
         {"stage", part % static_cast<std::size_t>(plan.pipeline)},
         {"forward_s", time.forward.value},
         {"backward_s", time.backward.value},
         {"share", sum > Seconds() ? Json(both / sum) : Json()},
         {"limited_by", known && both > Seconds() ? Json(layer_limit(both, plan.limits(i))) : Json()},
         {"parameters", parameters}});
  }
  return rows;
}

void add_time_to_accuracy(Json& row, const Convergence& experience, const StepForecast& step) {
  const std::optional<double> steps = experience.steps(step.samples);
  row["steps"] = steps ? Json(*steps) : Json();
  row["time_to_accuracy_s"] = steps ? Json(*steps * step.time.value) : Json();
}

std::string gibibytes(double bytes) {
  return text::number(bytes / 0x1p30) + " GiB";
}

std::vector<std::string> cautions(const Training& t, const StepForecast& s) {
  std::vector<std::string> all;
  if (s.efficiency > 1.0005) all.push_back("efficiency is above 100 % because " + what_is_saved(t));
  if (t.framework.compressed && gradient(t) == Bytes(2))
    all.emplace_back("compression=fp16 changes nothing: gradients are in 16 bits already");
  if (const std::size_t without = without_times(t); without > 0)
    all.push_back(text::count(static_cast<std::int64_t>(without)) + " of " +
                  text::count(static_cast<std::int64_t>(t.model.layers.size())) +
                  " layers have no measured time and take the roofline's");
  if (const Framework& f = t.framework; f.servers > 0 && !f.beside && t.ranks > t.ranks_per_node)
    all.push_back("servers=" + std::to_string(f.servers) + " takes " + text::counted(f.servers, "node") +
                  " more than the answer counts; beside=1 puts servers on the ranks' nodes");
  if (t.throughput) return all;
  if (t.precision == Precision::fp8)
    all.emplace_back(
        "products in fp8 are taken to reach as much of their peak as those in 16 bits: no step was held "
        "against that");
  if (const Layer* odd = odd_width(t.model); odd && stores_halves(t.precision))
    all.push_back(odd->name +
                  " has a width that is no multiple of 8: such products took 3 to 8 times as long on an "
                  "H100, which is not counted (libraries may pad them)");
  return all;
}

std::string too_large(const Training& t, const StepForecast& s) {
  const MemoryNeed& m = s.memory;
  if (fits(t, s)) return {};
  return "on " + text::counted(t.ranks, "rank") + " does not fit: a rank needs " + gibibytes(m.sum().value) +
         " of " + gibibytes(t.processor.memory.value) + " on " + t.processor.name + " (parameters " +
         gibibytes(m.parameters.value) + ", gradients " + gibibytes(m.gradients.value) + ", optimizer " +
         gibibytes(m.optimizer.value) + ", activations " + gibibytes(m.activations.value) + ", other " +
         gibibytes(m.other.value) + ")";
}

Json replay_row(const Source& trace, const Description& platform, const ReplayOptions& options,
                const ReplayReport& report) {
  const Occupancy seats = occupancy(Machine(platform, trace.ranks(), options.placement));
  const auto dearest = std::ranges::find_if(report.operations, is_collective);
  const bool any = dearest != report.operations.end();
  Json row{{"platform", platform.name()},
           {"ranks", trace.ranks()},
           {"nodes", seats.nodes},
           {"ranks_per_node", seats.on_a_node}};
  row.update(report::totals(report));
  row["dearest_collective"] = any ? Json(dearest->name) : Json();
  row["dearest_collective_s"] = any ? dearest->time.value : 0.0;
  return row;
}

}  // namespace collcast::workloads
