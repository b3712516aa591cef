// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/units.hpp"

namespace collcast::workloads {

/// How the ranks of a data-parallel group add up their gradients, and how work is shared beyond that.
struct Framework {
  enum class Reduction : std::uint8_t {
    coordinator,  ///< Horovod
    buckets,      ///< PyTorch DDP, Megatron-LM
    each,         ///< a collective for each tensor
    sharded,      ///< ZeRO: gradients reduce-scattered, parameters gathered
    server,       ///< ranks send to servers and fetch from them
  };
  std::string name;
  Reduction reduction = Reduction::buckets;

  // coordinator
  Bytes fusion;
  Seconds cycle;
  int cache = 0;
  int groups = 0;   ///< groups of tensors that are reduced together
  Seconds request;  ///< time of rank 0 per tensor and rank, without the cache
  bool says_request = false;
  bool autotune = false;  ///< searches the fastest fusion, cycle and levels
  bool keeps_fusion = false, keeps_cycle = false, keeps_levels = false;  ///< stated, so not autotuned
  // buckets: closed by the tensor that reaches the limit
  Bytes first_bucket, bucket;   ///< 0: the limit is in elements, if any
  double bucket_elements = 0;   ///< the least elements of a bucket
  double elements_of_rank = 0;  ///< and so many for each rank of a data-parallel group
  bool copies = false;          ///< gradients are copied into buckets and back
  bool overlap = true;          ///< buckets overlap with the backward pass; else all follow it
  bool hierarchical = false;    ///< allreduces are scattered over a node, reduced between nodes, gathered
  // parameter servers
  int servers = 0;            ///< 0: one of the ranks, which all others wait for
  bool beside = false;        ///< servers are on the workers' nodes
  bool next_forward = false;  ///< a layer of the next step waits only for its own parameters
  Bytes partition;            ///< the most that goes to a server at once; 0: whole tensors

  int stage = 0;               ///< of ZeRO: 1, 2 or 3
  bool gathers_ahead = false;  ///< stage 1: parameters are gathered during the next forward pass
  int shard = 0;            ///< stage 3: ranks that share parameters, beyond which there are replicas; 0: all
  bool compressed = false;  ///< gradients travel in 16 bits
  bool half_storage = false;  ///< parameters and gradients are stored in the 16 bits of amp
  Bytes gradient;             ///< with half_storage: the stated size of a gradient; 0: not stated

  // beyond data parallelism
  int tensor = 1, pipeline = 1, interleave = 1;
  int replicas = 1;  ///< GEMS: they train in turn on the same ranks, every second one from the last stage on
  bool stages_together = false;  ///< the stages of a pipeline are neighbours; else data-parallel ranks are
  int expert_parallel = 1;       ///< ranks of a data-parallel group that divide the experts among them
  double imbalance = 1;          ///< tokens that the experts of the fullest rank get, over the mean
  int spatial = 1;               ///< ranks that each work on a part of every image
  int context = 1;               ///< ranks that each work on a part of every sequence
  bool sequence_parallel = false;
  /// Which collectives of tensor parallelism run beside products. backward: those of the gradients of a
  /// product's input, beside the gradients of its weights; all: with sequence parallelism each, in pieces,
  /// beside the product that it belongs to.
  enum class TensorOverlap : std::uint8_t { none, backward, all };
  TensorOverlap tensor_overlap = TensorOverlap::none;
  bool scattered = false;  ///< between stages each tensor-parallel rank sends its part; then they gather
  /// What the backward pass computes again. no: nothing; all: blocks; except_last: blocks, but not of the
  /// last micro-batch; selective: the core of attention.
  enum class Recompute : std::uint8_t { no, all, except_last, selective };
  Recompute recompute = Recompute::no;
  bool one_forward_one_backward = true;  ///< else all forward passes come before all backward passes (GPipe)
  int processes_per_gpu = 1;             ///< processes that share a GPU (under MPS), each a replica
  int micro_batches = 1;  ///< parts of a replica's batch; without a pipeline: gradient accumulation
  bool says_micro_batches = false;
  std::vector<std::size_t> balance = {};  ///< blocks or layers of each part of a pipeline; empty: found
};

/// Whether ranks of a data-parallel group may divide experts among them (ep) under a framework.
bool may_share_experts(const Framework& framework);

/// A framework that `parse_framework` knows, and its settings.
struct FrameworkName {
  std::string_view name, description;
};
const std::vector<FrameworkName>& framework_names();

/// "horovod:version=0.19,fusion=64MiB,cycle=3.5ms", "ddp", "megatron:tp=8,pp=4". Throws InputError.
Framework parse_framework(const std::string& text);

}  // namespace collcast::workloads
