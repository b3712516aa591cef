// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workloads/job/job.hpp"
#include "workloads/training/plan.hpp"

namespace collcast::workloads {

/// Of every training job: which group and stream is which. Those who share out the experts of a block are
/// `local`, those with the same ones `cross`; those who share out images stand where others share out heads.
constexpr int data_group = 0, tensor_group = 1, local_group = 2, cross_group = 3;
constexpr int communication_stream = 1, first_message_stream = 2;

/// Dimensions and groups, and the coordinator where the framework has one.
void name_groups(const Plan& plan, Job& job);

/// Puts an activity at the end of a role; its place there.
int append(Role& role, JobActivity activity);

/// Adds to a role what its framework does about gradients and parameters.
class Reducer {
 public:
  virtual ~Reducer() = default;
  /// A gradient is ready when activity `made` ends; `last`: of the micro-batches.
  virtual void ready(const Layer& layer, double elements, int made, bool last) = 0;
  /// After the backward pass: the optimizer may follow.
  virtual void settle() = 0;
  virtual double updates() const = 0;  ///< parameters that this rank updates: of those that were ready
  virtual void after_optimizer() {}

  // Where parameters are gathered when they are needed:
  /// Layer `index` is about to be computed; adds to `waiting` what it has to wait for.
  virtual void before(std::size_t /*index*/, std::vector<int>& /*waiting*/, bool /*backward*/) {}
  /// Whether `passed` is to be told when that layer is computed.
  virtual bool watches(std::size_t /*index*/) const { return false; }
  virtual void passed(std::size_t /*index*/, int /*computed*/, bool /*backward*/) {}
};

std::unique_ptr<Reducer> make_reducer(const Plan& plan, Role& role);

}  // namespace collcast::workloads
