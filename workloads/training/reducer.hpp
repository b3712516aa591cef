// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "workloads/job/job.hpp"
#include "workloads/training/plan.hpp"

namespace collcast::workloads {

/// The groups and streams of every training job. Ranks that divide the experts of a block, or parameters,
/// among them are in a `local` group; ranks with the same experts or parameters are in a `cross` group. Ranks
/// that divide images are in the tensor group. There is a context group if ranks divide sequences.
constexpr int data_group = 0, tensor_group = 1, local_group = 2, cross_group = 3, context_group = 4;
constexpr int communication_stream = 1, first_message_stream = 2;
/// If parameters are sharded or served, there are no stages and no messages, so the streams can be used
/// again.
constexpr int replica_stream = first_message_stream;
constexpr int push_stream = first_message_stream, pull_stream = push_stream + 1,
              fetch_stream = pull_stream + 1;

/// Sets the job's dimensions and groups, and the coordinator if the framework has one.
void name_groups(const Plan& plan, Job& job);

/// Appends an activity to a role; returns its index.
int append(Role& role, JobActivity activity);

/// Adds to a role what its framework does with gradients and parameters.
class Reducer {
 public:
  virtual ~Reducer() = default;
  /// A gradient is ready when activity `made` ends. `last`: it is of the last micro-batch.
  virtual void ready(const Layer& layer, double elements, int made, bool last) = 0;
  /// Called after each micro-batch's backward pass.
  virtual void passed_micro_batch() {}
  /// Called after the last one; the optimizer may follow.
  virtual void settle() = 0;
  virtual double updates() const = 0;  ///< number of parameters that this rank updates
  virtual void after_optimizer() {}

  // For frameworks that gather parameters when they are needed:
  /// Layer `index` is about to be computed; adds to `waiting` what it has to wait for.
  virtual void before(std::size_t /*index*/, std::vector<int>& /*waiting*/, bool /*backward*/) {}
  /// Whether `passed` is to be called when that layer is computed.
  virtual bool watches(std::size_t /*index*/) const { return false; }
  virtual void passed(std::size_t /*index*/, int /*computed*/, bool /*backward*/) {}
};

std::unique_ptr<Reducer> make_reducer(const Plan& plan, int stage, Role& role);

}  // namespace collcast::workloads
