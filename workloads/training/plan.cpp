// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/plan.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "workloads/training/check.hpp"

namespace collcast::workloads {
namespace {

/// A tensor goes once to each later part that reads it, and that is not of the same stage.
std::vector<Plan::Hop> hops_between(const std::vector<Layer>& layers, const std::vector<Part>& parts,
                                    std::size_t stages) {
  std::vector<std::size_t> part_of;
  for (std::size_t p = 0; p < parts.size(); ++p) part_of.resize(parts[p].last, p);
  std::set<std::pair<std::size_t, std::size_t>> seen;  // layer and part that reads it
  std::map<std::pair<std::size_t, std::size_t>, double> elements;
  for (std::size_t i = 1; i < layers.size(); ++i)
    for (const std::size_t read : layers[i].reads.empty() ? std::vector{i - 1} : layers[i].reads)
      if (part_of[read] % stages != part_of[i] % stages && seen.emplace(read, part_of[i]).second)
        elements[{part_of[read], part_of[i]}] += layers[read].out;
  std::vector<Plan::Hop> hops;
  for (const auto& [ends, sum] : elements) hops.push_back({ends.first, ends.second, sum});
  return hops;
}

/// Attention in one step of the ring, to as many tokens as a rank has. Each rank has one of a sequence's 2 x
/// `context` pieces from the front and its counterpart from the back, so that all steps take equally long.
Layer ring_step(Layer attention, int context) {
  for (double* flops : {&attention.flops, &attention.backward_flops}) *flops /= 1.0 * context * context;
  for (double* elements : {&attention.in, &attention.out}) *elements /= context;
  return attention;
}

/// The layer with the experts that one of `ranks` ranks has; their tokens come from all of these ranks.
Layer held(Layer l, int ranks) {
  if (l.experts > 0 && !l.tensors.empty())
    l.tensors.resize(l.tensors.size() / static_cast<std::size_t>(ranks));
  return l;
}

/// Whether ranks hold parameters in the 16 bits that they compute with.
bool has_half_storage(const Training& t) {
  return stores_halves(t.precision) && t.framework.half_storage;
}

/// The processor, or a V100 if it is unknown and --throughput states how long a step takes: then it only
/// tells how the time spreads over the layers.
Processor known(const Training& t) {
  Processor p = t.processor;
  if (has_half_storage(t)) p.efficiency.cast = Bytes();
  if (p.bandwidth.value == 0) p.bandwidth = BytesPerSecond(900e9);
  if (p.flops == 0) p.flops = p.bandwidth.value * 15.7e12 / 900e9;
  return p;
}

/// The factors on the layers' times. `micro`: samples of a micro-batch.
std::vector<LayerFactor> factors(const Training& t, double micro) {
  if (!t.layer_times) return std::vector<LayerFactor>(t.model.layers.size());
  return layer_factors(*t.layer_times, t.model, micro, known(t), t.precision);
}

/// The time of the layers and the optimizer, or `share` of it, on one processor that holds them all and
/// recomputes nothing.
Seconds alone(const Training& t, double micro, int micro_batches, double share = 1) {
  Seconds step;
  const std::vector<LayerFactor> measured = factors(t, micro);
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const LayerTime time = layer_time(t.model.layers[i], micro, 1, known(t), t.precision);
    step += measured[i].forward * time.forward + measured[i].backward * time.backward;
  }
  return micro_batches * step + optimizer_time(share * t.model.parameters(), t.model.blocks > 0, known(t));
}

}  // namespace

Plan::Plan(const Training& t)
    : training(t),
      tensor(t.framework.tensor),
      spatial(t.framework.spatial),
      context(t.framework.context),
      data(t.ranks / ranks_of_replica(t.framework)),
      pipeline(t.framework.pipeline),
      chunks(t.framework.interleave),
      expert_parallel(t.framework.expert_parallel),
      micro_batches(t.framework.micro_batches),
      micro(static_cast<double>(batch(t)) / t.framework.micro_batches / t.framework.context) {
  check_training(t);
  if (t.throughput) scale = batch(t) / *t.throughput / alone(t, context * micro, micro_batches).value;
  scale *= gpu_sharing_factor(t);
  measured = factors(t, context * micro);
  for (std::size_t i = 0; i < layers().size(); ++i) {
    const Layer& l = layers()[i];
    const LayerTime time = layer_time(own(l), samples(l), share(l), known(t), t.precision);
    times.push_back(
        {factor(l) * measured[i].forward * time.forward, factor(l) * measured[i].backward * time.backward});
  }
  parts = parts_of(t, times, pipeline * chunks);
  hops = hops_between(layers(), parts, static_cast<std::size_t>(pipeline));
}

Layer Plan::own(const Layer& l) const {
  return uses_ring_attention(l) ? ring_step(l, context) : held(l, expert_parallel);
}

LayerLimits Plan::limits(std::size_t layer) const {
  const Layer& l = layers()[layer];
  LayerLimits all = layer_limits(own(l), samples(l), share(l), known(training), training.precision);
  const auto longer = [&](Limits& one, double by) { one = {by * one.arithmetic, by * one.memory}; };
  longer(all.forward, factor(l) * measured[layer].forward);
  longer(all.backward, factor(l) * measured[layer].backward);
  return all;
}

int Plan::local() const {
  const Framework& f = training.framework;
  return f.hierarchical ? std::min(training.ranks_per_node, training.ranks)
                        : std::max(expert_parallel, f.shard);
}

double Plan::share(const Layer& l) const {
  if (l.image) return 1.0 / spatial;
  if (l.cut != Layer::Cut::whole) return 1.0 / cuts(l);
  return l.block >= 0 ? share_between() : 1;
}

std::size_t Plan::end_of_entry(std::size_t enter) const {
  const auto read = [&](std::size_t i) {
    return layers()[i].reads.empty() ? std::vector{i - 1} : layers()[i].reads;
  };
  std::size_t end = enter + 1;
  while (end < layers().size() && layers()[end].cut == Layer::Cut::split && read(end) == read(enter)) ++end;
  return end;
}

bool Plan::repeats(const Layer& l) const {
  using enum Framework::Recompute;
  if (training.framework.recompute == no) return false;
  if (training.framework.recompute == selective) return l.core;
  return training.model.blocks == 0 || l.block >= 0;
}

bool Plan::repeats_micro_batch(int micro_batch) const {
  using enum Framework::Recompute;
  const Framework::Recompute which = training.framework.recompute;
  return which != no && (which != except_last || micro_batch + 1 < micro_batches);
}

bool Plan::repeats_early() const {
  const Framework& f = training.framework;
  return f.recompute != Framework::Recompute::selective && f.replicas == 1 && pipeline > 1 &&
         !f.one_forward_one_backward;
}

std::vector<double> Plan::tensors(const Layer& l) const {
  std::vector<double> sizes = held(l, expert_parallel).tensors;
  if (l.cut == Layer::Cut::whole) return sizes;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (l.cut != Layer::Cut::leave || i + 1 == sizes.size())
      sizes[i] /= cuts(l);  // the bias after the sum is not cut
  return sizes;
}

double Plan::sum_parameters(int stage, bool sharded) const {
  double sum = 0;
  for (int c = 0; c < chunks; ++c)
    for (std::size_t i = part(stage, c).first; i < part(stage, c).last; ++i) {
      const Layer& l = layers()[i];
      for (const double n : tensors(l)) sum += n / (sharded ? sharding_ranks(l) : 1);
    }
  return sum;
}

Seconds Plan::optimizer(double parameters) const {
  return scale * optimizer_time(parameters, adam(), known(training));
}

Plan::Place Plan::place(Rank rank) const {
  const Rank of_stage = training.ranks / pipeline;
  if (training.framework.stages_together) return {rank % pipeline, rank / pipeline};
  return {rank / of_stage, rank % of_stage};
}

std::vector<Plan::Unit> Plan::units() const {
  constexpr double enough = 25 * 1048576 / 4.0;
  std::vector<Unit> all;
  for (std::size_t i = 0; i < layers().size(); ++i) {
    const Layer& l = layers()[i];
    const bool joins =
        i > 0 && l.block == layers()[i - 1].block && (l.block >= 0 || all.back().elements < enough);
    if (!joins) all.push_back({i, i, 0});
    all.back().last = i + 1;
    for (const double elements : tensors(l)) all.back().elements += elements;
  }
  return all;
}

Bytes Plan::bytes(const Hop& hop) const {
  return hop.elements * micro * share_of_message() * element(training.precision);
}

Bytes Plan::keys_and_values(const Layer& attention) const {
  return (attention.in - attention.out) / std::clamp(training.model.kv_heads, 1, tensor) * micro *
         element(training.precision);
}

Bytes Plan::bucket(bool first) const {
  const Framework& f = training.framework;
  if (f.bucket > Bytes() || f.bucket_elements == 0) return first ? f.first_bucket : f.bucket;
  return std::max(f.bucket_elements, f.elements_of_rank * data * context) * gradient();
}

Bytes gradient(const Training& t) {
  if (!has_half_storage(t)) return Bytes(4);
  return t.framework.gradient > Bytes() ? t.framework.gradient : Bytes(2);
}

double optimizer_share(const Training& t) {
  const Framework& f = t.framework;
  if (f.reduction != Framework::Reduction::sharded) return 1;
  return 1.0 / (f.shard > 0 ? f.shard : replicas(t));
}

Seconds step_alone(const Training& t) {
  if (t.throughput) return Seconds(batch(t) / *t.throughput);
  const int micros = t.framework.micro_batches;
  return alone(t, static_cast<double>(batch(t)) / micros, micros, optimizer_share(t));
}

std::size_t without_times(const Training& t) {
  if (!t.layer_times) return 0;
  return static_cast<std::size_t>(std::ranges::count(factors(t, 1), false, &LayerFactor::measured));
}

double gpu_sharing_factor(const Training& t) {
  if (t.framework.processes_per_gpu == 1) return 1;
  const int micros = t.framework.micro_batches;
  const double micro = static_cast<double>(batch(t)) / micros;
  Training roofline = t;
  roofline.layer_times.reset();
  Training busy = roofline;
  scale_host(busy.processor.efficiency, 0);
  return std::max(
      1.0, t.framework.processes_per_gpu * (alone(busy, micro, micros) / alone(roofline, micro, micros)));
}

}  // namespace collcast::workloads
