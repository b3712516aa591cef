// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "workloads/compute/processor.hpp"
#include "workloads/job/job.hpp"
#include "workloads/training/checkpoint.hpp"
#include "workloads/training/framework.hpp"
#include "workloads/training/input.hpp"

namespace collcast::workloads {

/// A training step to be described.
struct Training {
  Model model;
  Framework framework;
  Processor processor;
  Precision precision = Precision::fp32;
  int batch = 1;  ///< of a replica, in a step
  std::optional<double> throughput =
      {};               ///< samples per second of one processor: replaces the roofline's sum
  double slowdown = 0;  ///< of computation while collectives run
  double noise = 0;     ///< standard deviation of ranks' computation, relative: the slowest decides
  std::optional<Input> input = {};  ///< without: samples are there
  std::optional<Checkpoint> checkpoint = {};
  Rank ranks = 1, ranks_per_node = 1;
};

/// Of a step on one processor, if arithmetic or memory were all that limits it.
Limits limits_alone(const Training& training);

/// Seconds of a step on one processor that holds the whole model: what --throughput says, or the roofline.
Seconds step_alone(const Training& training);

/// By how much longer computation takes where `per_gpu` processes share a GPU: one's launches run beside
/// another's kernels, and kernels follow each other. max(1, processes x busy / (busy + launches)).
double crowding(const Training& training);

/// The step: one role, or one for each stage of the pipeline. Throws InputError where ranks, batch, layers or
/// heads do not divide.
Job training_job(const Training& training);

/// Bytes of a rank, all processes of its GPU: of the stage with most. Parameters, gradients, the optimizer's
/// state, activations that are kept, the largest collective's buffers and a GiB for the runtime.
struct MemoryNeed {
  Bytes parameters, gradients, optimizer, activations, other;
  Bytes sum() const { return parameters + gradients + optimizer + activations + other; }
};
MemoryNeed memory_need(const Training& training);

/// Samples of all replicas in a step.
double global_batch(const Training& training);

}  // namespace collcast::workloads
