// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "workloads/training/order.hpp"
#include "workloads/training/training.hpp"

namespace collcast::workloads {

/// Whether its ranks can allreduce level by level: on full nodes, and nothing but replicas.
bool goes_by_levels(const Training& training);

/// How a model is shared out: ranks = tensor or spatial x context x data x pipeline. Experts are shared out
/// among neighbours of the data-parallel group.
struct Plan {
  explicit Plan(const Training& training);

  /// Layers first to last, without it.
  struct Part {
    std::size_t first, last;
  };
  const Training& training;
  int tensor, spatial, context, data, pipeline, chunks;
  int experts;  ///< how many ranks share them out
  int micro_batches;
  /// Neighbours of a data-parallel group that do something of their own: they share out the experts or the
  /// parameters, or are on a node.
  int local() const;
  double micro;             ///< samples of a micro-batch: what a rank has of their tokens, in whole ones
  std::vector<Part> parts;  ///< in forward order; part k is chunk k / pipeline of stage k % pipeline
  /// What a part hands on to a later one, which may skip some, and gets the gradient of: per sample.
  struct Hop {
    std::size_t from, to;
    double elements;
    bool skips() const { return to != from + 1; }
  };
  std::vector<Hop> hops;  ///< between stages
  std::vector<LayerTime> times;
  std::vector<LayerFactor> measured;  ///< that they have been multiplied by, from --layer-times
  double scale = 1;  ///< factor on all times, from --throughput and from processes that share a GPU
  /// Those of a layer as a rank has it, forward and backward, if arithmetic or memory alone limited it.
  LayerLimits limits(std::size_t layer) const;

  const std::vector<Layer>& layers() const { return training.model.layers; }
  const Part& part(int stage, int chunk) const {
    return parts[static_cast<std::size_t>(chunk) * static_cast<std::size_t>(pipeline) +
                 static_cast<std::size_t>(stage)];
  }
  /// The part of a stage's pass: its place among all, in forward order.
  std::size_t index(int stage, const Pass& pass) const {
    return static_cast<std::size_t>(pass.chunk) * static_cast<std::size_t>(pipeline) +
           static_cast<std::size_t>(pass.mirrored ? mirror(stage) : stage);
  }
  /// The share of a layer's work, and of its tensors, that a rank has.
  double share(const Layer& layer) const;
  /// The share that a rank has of what blocks hand on to each other.
  double share_between() const { return training.framework.sequence_parallel ? 1.0 / tensor : 1; }
  /// The words of the fullest rank's experts, of the mean; 1 for other layers.
  double fullness(const Layer& layer) const { return layer.experts > 0 ? training.framework.imbalance : 1; }
  /// Into how many parts tensor parallelism cuts a layer that it cuts.
  int cuts(const Layer& layer) const { return layer.parts > 0 ? std::min(tensor, layer.parts) : tensor; }
  /// Whether recomputation repeats a layer: of a model with blocks only what they hold.
  bool repeats(const Layer& layer) const;
  bool repeats_micro_batch(int micro_batch) const;
  /// Whether a stage repeats all of it at once, before the gradient comes (GPipe).
  bool repeats_early() const;
  /// Elements of a layer's gradients on a rank, in the order in which they become ready.
  std::vector<double> tensors(const Layer& layer) const;
  /// Whether a layer's gradients are those of this rank's experts, which only ranks with the same ones add
  /// up.
  bool owned(const Layer& layer) const { return experts > 1 && layer.experts > 0; }
  /// How many ranks add up their gradients, but for those of a rank's own experts.
  int adders() const { return data * spatial * context; }
  /// How many ranks share out the parameters of a layer, where ranks do.
  int sharers(const Layer& layer) const {
    if (training.framework.shard > 0) return training.framework.shard;
    return owned(layer) ? data / experts : adders();
  }
  /// Whether a layer looks at keys and values of other ranks' tokens, which come around a ring of them.
  bool rings(const Layer& layer) const { return context > 1 && layer.head > 0; }
  /// The keys and values of a rank's own tokens and heads.
  Bytes keys_and_values(const Layer& layer) const;
  /// A rank's stage, and its number within the stage, where ranks that share heads or images come next to
  /// each other, then those that share sequences, then those that share experts (`name_groups`).
  struct Place {
    int stage;
    Rank within;
  };
  Place place(Rank rank) const;
  /// What ZeRO-3 and FSDP gather at once: a block, or in a model without blocks as many layers as hold 25
  /// MiB.
  struct Unit {
    std::size_t first, last;
    double elements;  ///< of a rank's parameters
  };
  std::vector<Unit> units() const;
  /// The largest sum over a node's ranks of what `of` says of each.
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
  /// The stage on which the second of two replicas has what the first has on this one (GEMS).
  int mirror(int stage) const { return pipeline - 1 - stage; }
  double parameters(int stage) const { return sum_parameters(stage, false); }
  /// The parameters of a rank, if the ranks that add up their gradients share them out.
  double sharded_parameters(int stage) const { return sum_parameters(stage, true); }
  Seconds optimizer(double parameters) const;
  /// What a part hands on, per micro-batch.
  Bytes bytes(const Hop& hop) const;
  /// The size at which a bucket is closed.
  Bytes bucket(bool first) const;
  /// The size of a gradient as it is stored.
  Bytes gradient() const { return workloads::gradient(training); }
  /// What an element of a gradient puts on the wire.
  Bytes on_wire() const { return training.framework.compressed ? Bytes(2) : gradient(); }
  bool adam() const { return training.model.blocks > 0; }

 private:
  /// A layer that a rank plays, of how many samples at once, and by what its time counts.
  Layer own(const Layer& layer) const;
  double samples(const Layer& layer) const { return (rings(layer) ? context : 1) * micro; }
  double factor(const Layer& layer) const { return scale * fullness(layer) * (rings(layer) ? context : 1); }
  double sum_parameters(int stage, bool sharded) const;
};

}  // namespace collcast::workloads
