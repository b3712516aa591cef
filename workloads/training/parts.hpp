// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "workloads/training/training.hpp"

namespace collcast::workloads {

/// The layers [first, last).
struct Part {
  std::size_t first, last;
};

/// Divides a model into `count` parts of a pipeline: as the framework states them, into equally many blocks,
/// or, without blocks, such that the longest is as short as possible. Throws InputError if it does not
/// divide. `times`: those of the layers.
std::vector<Part> parts_of(const Training& training, const std::vector<LayerTime>& times, int count);

}  // namespace collcast::workloads
