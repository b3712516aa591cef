// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "workloads/training/training.hpp"

namespace collcast::workloads {

/// Throws InputError, which says `what` of a training step.
[[noreturn]] void reject_training(const std::string& what);

/// Whether hierarchical allreduce is possible: all nodes are full, and all parallelism is data parallelism.
bool goes_by_levels(const Training& training);

/// Throws InputError if settings of a step do not go together, or not with its model, ranks or processor.
void check_training(const Training& training);

}  // namespace collcast::workloads
