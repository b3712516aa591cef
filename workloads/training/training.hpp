// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "workloads/compute/processor.hpp"
#include "workloads/job/job.hpp"
#include "workloads/training/checkpoint.hpp"
#include "workloads/training/framework.hpp"
#include "workloads/training/input.hpp"
#include "workloads/training/layer_times.hpp"
#include "workloads/training/storage.hpp"

namespace collcast::workloads {

/// The description of a training step.
struct Training {
  Model model;
  Framework framework;
  Processor processor;
  Precision precision = Precision::fp32;
  int batch = 1;        ///< of a replica, in a step
  int whole_batch = 0;  ///< of all replicas, instead of `batch`; 0: not said
  std::optional<double> throughput =
      {};                       ///< measured samples per second of one processor; replaces the roofline
  double throughput_error = 0;  ///< of the throughput, relative
  std::optional<LayerTimes> layer_times =
      {};               ///< measured on one processor that holds the model; replace the roofline's
  double slowdown = 0;  ///< computation takes (1 + this) times as long while collectives run
  double noise = 0;     ///< relative standard deviation of ranks' computation; the slowest decides
  std::optional<Input> input = {};  ///< none: samples are never late
  std::optional<Checkpoint> checkpoint = {};
  Rank ranks = 1, ranks_per_node = 1;
  Adapters adapters = {};
};

/// The number of ranks of a replica.
int ranks_of_replica(const Framework& framework);

/// The number of replicas: data-parallel processes.
int replicas(const Training& training);

/// Samples of a replica in a step, and of all replicas.
int batch(const Training& training);
double global_batch(const Training& training);

/// The time of a rank's step on the stage that computes longest, with all processes of its GPU, if arithmetic
/// alone, or memory alone, limited it.
Limits limits(const Training& training);

/// A lower bound of the step without any communication: the longest time of a stage's computation after the
/// first micro-batch has passed the stages before it.
Seconds least_step(const Training& training);

/// The share of the optimizer's work that a replica does; replicas may divide it among them.
double optimizer_share(const Training& training);

/// The time of a step on one processor that holds the whole model: by --throughput, or by the roofline, with
/// a replica's part of the optimizer's work.
Seconds step_alone(const Training& training);

/// The number of layers without a measured time, if others have one.
std::size_t without_times(const Training& training);

/// The size of a gradient as it is stored.
Bytes gradient(const Training& training);

/// The factor on computation if `processes_per_gpu` processes share a GPU: launches of one run beside kernels
/// of another, and kernels follow each other. max(1, processes x busy / (busy + launches)).
double gpu_sharing_factor(const Training& training);

/// The step as a job: one role, or one for each stage of the pipeline. Throws InputError if ranks, batch,
/// layers or heads do not divide.
Job training_job(const Training& training);

/// The memory that a rank needs, with all processes of its GPU, on the stage that needs most: parameters,
/// gradients, the optimizer's state, kept activations, the largest collective's buffers and a GiB for the
/// runtime.
struct MemoryNeed {
  Bytes parameters, gradients, optimizer, activations, other;
  Bytes sum() const { return parameters + gradients + optimizer + activations + other; }
};
MemoryNeed memory_need(const Training& training);

}  // namespace collcast::workloads
