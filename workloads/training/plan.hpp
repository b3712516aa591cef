// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "workloads/training/order.hpp"
#include "workloads/training/parts.hpp"
#include "workloads/training/training.hpp"

namespace collcast::workloads {

/// How a model is divided among ranks: ranks = (tensor or spatial) x context x data x pipeline. Experts are
/// divided among neighbours in the data-parallel group.
struct Plan {
  explicit Plan(const Training& training);

  const Training& training;
  int tensor, spatial, context, data, pipeline, chunks;
  int expert_parallel;  ///< how many ranks the experts are divided among
  int micro_batches;
  /// Size of the inner data-parallel group: the ranks that divide the experts or the parameters among
  /// themselves, or those of a node.
  int local() const;
  double micro;  ///< samples of a micro-batch; a rank's part of their tokens counts as whole samples
  std::vector<Part> parts;  ///< in forward order; part k is chunk k / pipeline of stage k % pipeline
  /// Activations that one part sends to a later one, not always the next; their gradient comes back. Per
  /// sample.
  struct Hop {
    std::size_t from, to;
    double elements;
    bool skips() const { return to != from + 1; }
  };
  std::vector<Hop> hops;  ///< between stages
  std::vector<LayerTime> times;
  std::vector<LayerFactor> measured;  ///< factors on `times`, from --layer-times
  double scale = 1;  ///< factor on all times, from --throughput and from processes that share a GPU
  /// Times of a rank's part of a layer, forward and backward, if arithmetic alone or memory alone limited
  /// them.
  LayerLimits limits(std::size_t layer) const;

  const std::vector<Layer>& layers() const { return training.model.layers; }
  const Part& part(int stage, int chunk) const {
    return parts[static_cast<std::size_t>(chunk) * static_cast<std::size_t>(pipeline) +
                 static_cast<std::size_t>(stage)];
  }
  /// Index in `parts` of the part that a stage's pass computes.
  std::size_t index(int stage, const Pass& pass) const {
    return static_cast<std::size_t>(pass.chunk) * static_cast<std::size_t>(pipeline) +
           static_cast<std::size_t>(pass.mirrored ? mirror(stage) : stage);
  }
  /// A rank's share of a layer's work and of its tensors.
  double share(const Layer& layer) const;
  /// The end of the layers from `enter` on that read what this layer reads: with it they are one product.
  std::size_t end_of_entry(std::size_t enter) const;
  /// A rank's share of the activations between blocks.
  double share_between() const { return training.framework.sequence_parallel ? 1.0 / tensor : 1; }
  /// A rank's share of a message between stages.
  double share_of_message() const { return training.framework.scattered ? 1.0 / tensor : share_between(); }
  /// Tokens that the experts of the fullest rank get, over the mean (--framework imbalance=); 1 for other
  /// layers.
  double fullness(const Layer& layer) const { return layer.experts > 0 ? training.framework.imbalance : 1; }
  /// How many parts tensor parallelism divides a layer into.
  int cuts(const Layer& layer) const { return layer.parts > 0 ? std::min(tensor, layer.parts) : tensor; }
  /// Whether recomputation repeats a layer. In a model with blocks it repeats only these.
  bool repeats(const Layer& layer) const;
  bool repeats_micro_batch(int micro_batch) const;
  /// Whether a stage recomputes before the gradient arrives (GPipe).
  bool repeats_early() const;
  /// Elements of a layer's gradients on a rank, in the order in which they become ready.
  std::vector<double> tensors(const Layer& layer) const;
  /// Whether a layer holds experts of this rank's own: only ranks with the same experts sum their gradients.
  bool owned(const Layer& layer) const { return expert_parallel > 1 && layer.experts > 0; }
  /// How many ranks sum the gradients of all layers but experts.
  int summing_ranks() const { return data * spatial * context; }
  /// How many ranks a layer's parameters are sharded over (ZeRO, FSDP).
  int sharding_ranks(const Layer& layer) const {
    if (training.framework.shard > 0) return training.framework.shard;
    return owned(layer) ? data / expert_parallel : summing_ranks();
  }
  /// Whether a layer reads keys and values of other ranks' tokens, which travel around a ring (context
  /// parallelism).
  bool uses_ring_attention(const Layer& layer) const { return context > 1 && layer.head > 0; }
  /// The keys and values of a rank's own tokens and heads.
  Bytes keys_and_values(const Layer& layer) const;
  /// A rank's stage and its number within the stage. Tensor or spatial neighbours are numbered consecutively,
  /// then context, then expert groups (`name_groups`).
  struct Place {
    int stage;
    Rank within;
  };
  Place place(Rank rank) const;
  /// The layers [first, last) that ZeRO-3 and FSDP gather at once: a block; in a model without blocks, 25 MiB
  /// of layers.
  struct Unit {
    std::size_t first, last;
    double elements;  ///< of a rank's parameters
  };
  std::vector<Unit> units() const;
  /// The largest sum of `of(place)` over the ranks of a node.
  template <class Of>
  auto fullest_node(Of of) const {
    decltype(of(Place())) most{}, sum{};
    for (Rank r = 0; r < training.ranks; ++r) {
      if (r % training.ranks_per_node == 0) sum = {};
      sum += of(place(r));
      most = std::max(most, sum);
    }
    return most;
  }
  /// The stage at which the second of two replicas holds what the first holds at this one (GEMS).
  int mirror(int stage) const { return pipeline - 1 - stage; }
  double parameters(int stage) const { return sum_parameters(stage, false); }
  /// A rank's parameters, sharded over the ranks that sum their gradients.
  double sharded_parameters(int stage) const { return sum_parameters(stage, true); }
  Seconds optimizer(double parameters) const;
  /// Activations between two parts, per micro-batch.
  Bytes bytes(const Hop& hop) const;
  /// The size at which a bucket is closed.
  Bytes bucket(bool first) const;
  /// The size of a gradient as it is stored.
  Bytes gradient() const { return workloads::gradient(training); }
  /// Bytes of a gradient's element as it is sent.
  Bytes on_wire() const { return training.framework.compressed ? Bytes(2) : gradient(); }
  bool adam() const { return training.model.blocks > 0; }

 private:
  /// The layer as a rank has it; samples that it computes at once; the factor on its time.
  Layer own(const Layer& layer) const;
  double samples(const Layer& layer) const { return (uses_ring_attention(layer) ? context : 1) * micro; }
  double factor(const Layer& layer) const {
    return scale * fullness(layer) * (uses_ring_attention(layer) ? context : 1);
  }
  double sum_parameters(int stage, bool sharded) const;
};

}  // namespace collcast::workloads
