// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "support/error.hpp"

namespace collcast::workloads {
namespace {

using Part = Plan::Part;

[[noreturn]] void reject(const std::string& what) {
  throw InputError("training: " + what);
}

/// The number of ranks of a replica.
int not_data(const Framework& f) {
  return f.tensor * f.spatial * f.context * f.pipeline;
}

/// The number of data-parallel processes.
int replicas(const Training& t) {
  return std::max(1, t.ranks / not_data(t.framework)) * t.framework.processes_per_gpu;
}

/// Parts of so many blocks each. Layers before and behind all blocks go to the first and the last part.
std::vector<Part> of_blocks(const Model& model, const std::vector<std::size_t>& blocks) {
  std::vector<Part> parts;
  std::size_t first = 0, block = 0;
  for (const std::size_t each : blocks) {
    block += each;
    const auto next = std::ranges::find(model.layers, static_cast<int>(block), &Layer::block);
    const bool last = parts.size() + 1 == blocks.size();
    const std::size_t end =
        last ? model.layers.size() : static_cast<std::size_t>(next - model.layers.begin());
    parts.push_back({first, end});
    first = end;
  }
  return parts;
}

/// Parts with equally many blocks.
std::vector<Part> by_blocks(const Model& model, int count) {
  if (model.blocks % count != 0) {
    std::string able;
    for (int parts = 1; parts <= model.blocks; ++parts)
      if (model.blocks % parts == 0) able += (able.empty() ? "" : ", ") + std::to_string(parts);
    reject(std::to_string(model.blocks) + " blocks of " + model.name + " do not divide into " +
           std::to_string(count) + " parts of a pipeline, but into " + able +
           "; balance= says the blocks, or the layers, of each part");
  }
  return of_blocks(
      model, std::vector(static_cast<std::size_t>(count), static_cast<std::size_t>(model.blocks / count)));
}

/// The number of parts if none may take longer than `most`; `cut` is told where each begins.
template <class Cut>
int greedy(const std::vector<double>& lengths, double most, Cut cut) {
  int count = 1;
  double filled = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (filled > 0 && filled + lengths[i] > most) ++count, filled = 0, cut(i);
    filled += lengths[i];
  }
  return count;
}

/// Parts such that the longest is as short as possible.
std::vector<Part> by_time(const std::vector<LayerTime>& times, int count) {
  if (times.size() < static_cast<std::size_t>(count))
    reject(std::to_string(times.size()) + " layers do not make " + std::to_string(count) +
           " parts of a pipeline");
  std::vector<double> lengths;
  for (const LayerTime& t : times) lengths.push_back((t.forward + t.backward).value);
  double low = *std::ranges::max_element(lengths);
  double high = std::accumulate(lengths.begin(), lengths.end(), 0.0);
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (greedy(lengths, middle, [](std::size_t) {}) <= count ? high : low) = middle;
  }
  std::vector<std::size_t> cuts = {0};
  greedy(lengths, high, [&](std::size_t i) { cuts.push_back(i); });
  for (std::size_t i = times.size() - 1; cuts.size() < static_cast<std::size_t>(count); --i)
    if (std::ranges::find(cuts, i) == cuts.end()) cuts.push_back(i);  // fills up to `count` parts
  std::ranges::sort(cuts);
  cuts.push_back(times.size());
  std::vector<Part> parts;
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) parts.push_back({cuts[k], cuts[k + 1]});
  return parts;
}

/// Parts as the framework states them, in blocks or in layers.
std::vector<Part> by_balance(const Model& model, const std::vector<std::size_t>& balance) {
  const std::size_t sum = std::accumulate(balance.begin(), balance.end(), std::size_t());
  if (model.blocks > 0 && sum == static_cast<std::size_t>(model.blocks)) return of_blocks(model, balance);
  std::vector<Part> parts;
  std::size_t first = 0;
  for (const std::size_t layers : balance) {
    parts.push_back({first, first + layers});
    first += layers;
  }
  if (sum != model.layers.size())
    reject("balance shares out " + std::to_string(sum) + ", " + model.name + " has " +
           (model.blocks > 0 ? std::to_string(model.blocks) + " blocks, or " : "") +
           std::to_string(model.layers.size()) + " layers");
  return parts;
}

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

std::string models_with_experts() {
  std::string all;
  for (const ModelName& known : model_names())
    if (load_model(std::string(known.name)).experts > 0)
      all += (all.empty() ? "" : ", ") + std::string(known.name);
  return all;
}

void check_experts(const Training& t, int data) {
  const Framework& f = t.framework;
  if (f.expert_parallel == 1) return;
  if (t.model.experts == 0)
    reject(t.model.name +
           " has no experts that could be shared out (ep), as these have: " + models_with_experts());
  if (t.model.experts % f.expert_parallel != 0)
    reject(t.model.name + " has " + std::to_string(t.model.experts) +
           " experts, which do not divide by ep=" + std::to_string(f.expert_parallel));
  if (data % f.expert_parallel != 0)
    reject("a data-parallel group of " + std::to_string(data) +
           " ranks does not divide by ep=" + std::to_string(f.expert_parallel));
}

void check_batch(const Training& t) {
  const Framework& f = t.framework;
  const std::string micro_batches =
      std::to_string(f.micro_batches) + " micro-batches" +
      (f.says_micro_batches || f.micro_batches == 1 ? ""
       : f.stages_together ? " (the default for replicas=" + std::to_string(f.replicas) + ")"
                           : " (the default for pp=" + std::to_string(f.pipeline) + ")");
  const std::int64_t all = replicas(t);
  if (t.whole_batch > 0 && t.whole_batch % (all * f.micro_batches) != 0)
    reject("a global batch of " + std::to_string(t.whole_batch) + " does not divide into " +
           std::to_string(all) + (all == 1 ? " replica" : " replicas") +
           (f.micro_batches > 1 ? " of " + micro_batches : ""));
  if (batch(t) % f.micro_batches != 0)
    reject("a batch of " + std::to_string(batch(t)) + " does not divide into " + micro_batches);
}

/// The tokens of a sequence, from the FLOPs of attention in one kernel: two products over half of the pairs
/// of tokens.
double tokens(const Layer& attention) {
  return attention.flops / (2 * attention.out);
}

/// Attention in one step of the ring, to as many tokens as a rank has. Each rank has one of a sequence's 2 x
/// `context` pieces from the front and its counterpart from the back, so that all steps take equally long.
Layer ring_step(Layer attention, int context) {
  for (double* flops : {&attention.flops, &attention.backward_flops}) *flops /= 1.0 * context * context;
  for (double* elements : {&attention.in, &attention.out}) *elements /= context;
  return attention;
}

void check_context(const Training& t) {
  const Framework& f = t.framework;
  if (f.context == 1) return;
  const std::vector<Layer>& layers = t.model.layers;
  if (std::ranges::none_of(layers, [](const Layer& l) { return l.head > 0; }))
    reject("context parallelism (cp) needs attention in one kernel, as of llama, or of gpt with flash=1; " +
           t.model.name + " has none");
  for (const Layer& l : layers)
    if (l.head > 0 && std::fmod(std::round(tokens(l)), 2.0 * f.context) != 0)
      reject("context parallelism cuts a sequence into 2 x cp pieces: " +
             std::to_string(std::llround(tokens(l))) + " tokens of " + t.model.name + " do not divide by " +
             std::to_string(2LL * f.context));
  if (f.expert_parallel > 1) reject("sequences are shared out (cp) or experts are (ep), not both");
  if (f.shard > 0) reject("parameters that not all ranks share (shard) go without cp");
}

void check_ranks(const Training& t) {
  const Framework& f = t.framework;
  if (t.ranks % not_data(f) != 0)
    reject(std::to_string(t.ranks) + " ranks do not divide into tensor x spatial x " +
           (f.context > 1 ? "context x " : "") + "pipeline = " + std::to_string(f.tensor) + " x " +
           std::to_string(f.spatial) + " x " + (f.context > 1 ? std::to_string(f.context) + " x " : "") +
           std::to_string(f.pipeline));
}

void check_heads(const Training& t) {
  const Framework& f = t.framework;
  if (f.tensor > 1 && t.model.heads == 0)
    reject("tensor parallelism shares out attention heads, and " + t.model.name + " has none");
  if (f.tensor > 1 && t.model.heads % f.tensor != 0)
    reject("tensor parallelism shares out attention heads: " + t.model.name + " has " +
           std::to_string(t.model.heads) + ", which do not divide by " + std::to_string(f.tensor));
  if (f.tensor > 1 && t.model.kv_heads % f.tensor != 0 && f.tensor % t.model.kv_heads != 0)
    reject("tensor parallelism shares out KV heads or copies them: " + t.model.name + " has " +
           std::to_string(t.model.kv_heads) + ", and neither " + std::to_string(t.model.kv_heads) +
           " nor tp=" + std::to_string(f.tensor) + " divides the other");
}

void check_transformer(const Training& t) {
  if (t.framework.recompute == Framework::Recompute::selective &&
      std::ranges::none_of(t.model.layers, [](const Layer& l) { return l.core; }))
    reject("selective recomputation repeats attention's scores, softmax and values, and " + t.model.name +
           " keeps none; recompute=1 repeats all");
  if (t.precision == Precision::fp8 && t.model.blocks == 0)
    reject("fp8 is for the linear layers of transformers' blocks, and " + t.model.name +
           " has none; take amp");
}

void check_images(const Training& t) {
  const Framework& f = t.framework;
  if (f.spatial > 1 && (f.tensor > 1 || !t.model.layers[0].image))
    reject(f.tensor > 1 ? "images are shared out (sp) or heads are (tp), not both"
                        : "spatial parallelism shares out images, and " + t.model.name + " has none");
  if (f.spatial > std::max(1, t.model.height))
    reject("images of " + t.model.name + " have " + std::to_string(t.model.height) +
           " rows, which do not make " + std::to_string(f.spatial) + " parts (sp)");
}

void check_levels(const Training& t) {
  const Framework& f = t.framework;
  if (f.hierarchical && !goes_by_levels(t))
    reject(std::string(f.servers > 0 ? "what goes to servers is added up on each node first, which"
                                     : "a hierarchical allreduce") +
           " needs full nodes and no other parallelism: " + std::to_string(t.ranks) + " ranks, " +
           std::to_string(t.ranks_per_node) + " on a node");
  if (f.beside && f.servers > t.ranks / std::min(t.ranks, t.ranks_per_node))
    reject(std::to_string(f.servers) +
           " servers beside the workers are more than one on each of their nodes");
}

void check_shards(const Training& t) {
  const Framework& f = t.framework;
  const int data = t.ranks / not_data(f);
  if (f.shard > 0 && f.spatial > 1) reject("parameters that not all ranks share (shard) go without sp");
  if (f.shard > 0 && data % f.shard != 0)
    reject("a data-parallel group of " + std::to_string(data) +
           " ranks does not divide by shard=" + std::to_string(f.shard));
}

void check_numbers(const Training& t) {
  if (t.framework.gradient == Bytes(2) && !stores_halves(t.precision))
    reject("gradients=16bit is for amp and fp8, not for " + std::string(name(t.precision)));
  if (t.processor.flops == 0 && !t.throughput && !t.layer_times)
    reject("the platform does not say how fast " + t.processor.name + " computes in " +
           std::string(name(t.precision)) + "; give --throughput or --layer-times");
}

void check(const Training& t) {
  check_ranks(t);
  check_batch(t);
  check_heads(t);
  check_transformer(t);
  check_experts(t, t.ranks / not_data(t.framework));
  check_context(t);
  check_images(t);
  check_levels(t);
  check_shards(t);
  check_numbers(t);
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

bool goes_by_levels(const Training& t) {
  const Framework& f = t.framework;
  return t.ranks % std::min(t.ranks, t.ranks_per_node) == 0 && not_data(f) * f.expert_parallel == 1;
}

Plan::Plan(const Training& t)
    : training(t),
      tensor(t.framework.tensor),
      spatial(t.framework.spatial),
      context(t.framework.context),
      data(t.ranks / not_data(t.framework)),
      pipeline(t.framework.pipeline),
      chunks(t.framework.interleave),
      expert_parallel(t.framework.expert_parallel),
      micro_batches(t.framework.micro_batches),
      micro(static_cast<double>(batch(t)) / t.framework.micro_batches / t.framework.context) {
  check(t);
  if (t.throughput) scale = batch(t) / *t.throughput / alone(t, context * micro, micro_batches).value;
  scale *= gpu_sharing_factor(t);
  measured = factors(t, context * micro);
  for (std::size_t i = 0; i < layers().size(); ++i) {
    const Layer& l = layers()[i];
    const LayerTime time = layer_time(own(l), samples(l), share(l), known(t), t.precision);
    times.push_back(
        {factor(l) * measured[i].forward * time.forward, factor(l) * measured[i].backward * time.backward});
  }
  const int count = pipeline * chunks;
  parts = !t.framework.balance.empty() ? by_balance(t.model, t.framework.balance)
          : count == 1                 ? std::vector<Part>{{0, layers().size()}}
          : t.model.blocks > 0         ? by_blocks(t.model, count)
                                       : by_time(times, count);
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
  return hop.elements * micro * share_between() * element(training.precision);
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

int batch(const Training& t) {
  return t.whole_batch > 0 ? t.whole_batch / replicas(t) : t.batch;
}

double global_batch(const Training& t) {
  const Framework& f = t.framework;
  return static_cast<double>(batch(t)) * f.processes_per_gpu * t.ranks / not_data(f);
}

}  // namespace collcast::workloads
