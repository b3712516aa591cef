// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/check.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/error.hpp"

namespace collcast::workloads {
namespace {

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
    reject_training(t.model.name +
                    " has no experts that could be shared out (ep), as these have: " + models_with_experts());
  if (t.model.experts % f.expert_parallel != 0)
    reject_training(t.model.name + " has " + std::to_string(t.model.experts) +
                    " experts, which do not divide by ep=" + std::to_string(f.expert_parallel));
  if (data % f.expert_parallel != 0)
    reject_training("a data-parallel group of " + std::to_string(data) +
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
    reject_training("a global batch of " + std::to_string(t.whole_batch) + " does not divide into " +
                    std::to_string(all) + (all == 1 ? " replica" : " replicas") +
                    (f.micro_batches > 1 ? " of " + micro_batches : ""));
  if (batch(t) % f.micro_batches != 0)
    reject_training("a batch of " + std::to_string(batch(t)) + " does not divide into " + micro_batches);
}

/// The tokens of a sequence, from the FLOPs of attention in one kernel: two products over half of the pairs
/// of tokens.
double tokens(const Layer& attention) {
  return attention.flops / (2 * attention.out);
}

void check_context(const Training& t) {
  const Framework& f = t.framework;
  if (f.context == 1) return;
  const std::vector<Layer>& layers = t.model.layers;
  if (std::ranges::none_of(layers, [](const Layer& l) { return l.head > 0; }))
    reject_training(
        "context parallelism (cp) needs attention in one kernel, as of llama, or of gpt with flash=1; " +
        t.model.name + " has none");
  for (const Layer& l : layers)
    if (l.head > 0 && std::fmod(std::round(tokens(l)), 2.0 * f.context) != 0)
      reject_training("context parallelism cuts a sequence into 2 x cp pieces: " +
                      std::to_string(std::llround(tokens(l))) + " tokens of " + t.model.name +
                      " do not divide by " + std::to_string(2LL * f.context));
  if (f.expert_parallel > 1) reject_training("sequences are shared out (cp) or experts are (ep), not both");
  if (f.shard > 0) reject_training("parameters that not all ranks share (shard) go without cp");
}

void check_ranks(const Training& t) {
  const Framework& f = t.framework;
  if (t.ranks % ranks_of_replica(f) != 0)
    reject_training(std::to_string(t.ranks) + " ranks do not divide into tensor x spatial x " +
                    (f.context > 1 ? "context x " : "") + "pipeline = " + std::to_string(f.tensor) + " x " +
                    std::to_string(f.spatial) + " x " +
                    (f.context > 1 ? std::to_string(f.context) + " x " : "") + std::to_string(f.pipeline));
}

void check_heads(const Training& t) {
  const Framework& f = t.framework;
  if (f.tensor > 1 && t.model.heads == 0)
    reject_training("tensor parallelism shares out attention heads, and " + t.model.name + " has none");
  if (f.tensor > 1 && t.model.heads % f.tensor != 0)
    reject_training("tensor parallelism shares out attention heads: " + t.model.name + " has " +
                    std::to_string(t.model.heads) + ", which do not divide by " + std::to_string(f.tensor));
  if (f.tensor > 1 && t.model.kv_heads % f.tensor != 0 && f.tensor % t.model.kv_heads != 0)
    reject_training("tensor parallelism shares out KV heads or copies them: " + t.model.name + " has " +
                    std::to_string(t.model.kv_heads) + ", and neither " + std::to_string(t.model.kv_heads) +
                    " nor tp=" + std::to_string(f.tensor) + " divides the other");
}

void check_transformer(const Training& t) {
  if (t.framework.recompute == Framework::Recompute::selective &&
      std::ranges::none_of(t.model.layers, [](const Layer& l) { return l.core; }))
    reject_training("selective recomputation repeats attention's scores, softmax and values, and " +
                    t.model.name + " keeps none; recompute=1 repeats all");
  if (t.precision == Precision::fp8 && t.model.blocks == 0)
    reject_training("fp8 is for the linear layers of transformers' blocks, and " + t.model.name +
                    " has none; take amp");
}

void check_images(const Training& t) {
  const Framework& f = t.framework;
  if (f.spatial > 1 && (f.tensor > 1 || !t.model.layers[0].image))
    reject_training(f.tensor > 1
                        ? "images are shared out (sp) or heads are (tp), not both"
                        : "spatial parallelism shares out images, and " + t.model.name + " has none");
  if (f.spatial > std::max(1, t.model.height))
    reject_training("images of " + t.model.name + " have " + std::to_string(t.model.height) +
                    " rows, which do not make " + std::to_string(f.spatial) + " parts (sp)");
}

void check_levels(const Training& t) {
  const Framework& f = t.framework;
  if (f.hierarchical && !goes_by_levels(t))
    reject_training(std::string(f.servers > 0 ? "what goes to servers is added up on each node first, which"
                                              : "a hierarchical allreduce") +
                    " needs full nodes and no other parallelism: " + std::to_string(t.ranks) + " ranks, " +
                    std::to_string(t.ranks_per_node) + " on a node");
  if (f.beside && f.servers > t.ranks / std::min(t.ranks, t.ranks_per_node))
    reject_training(std::to_string(f.servers) +
                    " servers beside the workers are more than one on each of their nodes");
}

void check_shards(const Training& t) {
  const Framework& f = t.framework;
  const int data = t.ranks / ranks_of_replica(f);
  if (f.shard > 0 && f.spatial > 1)
    reject_training("parameters that not all ranks share (shard) go without sp");
  if (f.shard > 0 && data % f.shard != 0)
    reject_training("a data-parallel group of " + std::to_string(data) +
                    " ranks does not divide by shard=" + std::to_string(f.shard));
}

void check_numbers(const Training& t) {
  if (t.framework.gradient == Bytes(2) && !stores_halves(t.precision))
    reject_training("gradients=16bit is for amp and fp8, not for " + std::string(name(t.precision)));
  if (t.processor.flops == 0 && !t.throughput && !t.layer_times)
    reject_training("the platform does not say how fast " + t.processor.name + " computes in " +
                    std::string(name(t.precision)) + "; give --throughput or --layer-times");
}

}  // namespace

void reject_training(const std::string& what) {
  throw InputError("training: " + what);
}

bool goes_by_levels(const Training& t) {
  const Framework& f = t.framework;
  return t.ranks % std::min(t.ranks, t.ranks_per_node) == 0 && ranks_of_replica(f) * f.expert_parallel == 1;
}

void check_training(const Training& t) {
  check_ranks(t);
  check_batch(t);
  check_heads(t);
  check_transformer(t);
  check_experts(t, t.ranks / ranks_of_replica(t.framework));
  check_context(t);
  check_images(t);
  check_levels(t);
  check_shards(t);
  check_numbers(t);
}

}  // namespace collcast::workloads
