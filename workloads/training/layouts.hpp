// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "workloads/training/training.hpp"

namespace collcast::workloads {

/// How ranks share a training step out: so many replicas, each cut into tensor- and pipeline-parallel parts.
struct Layout {
  std::string framework;  ///< with all settings, as --framework takes it
  int data = 1, tensor = 1, pipeline = 1;
  Bytes memory;        ///< that a rank needs
  Seconds least_step;  ///< bound by computation and bubble alone
  double samples = 0;  ///< of all replicas in a step
};

/// Layouts of a step on its ranks. Each tensor size is a divisor of the ranks, up to the largest that was
/// asked for; each pipeline a divisor of the rest. Of each pair, with and without recomputation, the fewest
/// micro-batches that fit into memory; of a pipeline at least four for each stage, and also sixteen.
struct Layouts {
  std::vector<Layout> fit;
  int too_large = 0;    ///< pairs of which nothing fits
  int indivisible = 0;  ///< pairs for which batch, heads, blocks or framework say no
  Layout smallest;      ///< of those that are too large
  std::string reason;   ///< of the first that is indivisible
};

/// Layouts under a framework, as users write it: what it sets stays, what it leaves open is tried. `training`
/// has everything but the framework. Throws InputError for an unknown framework.
Layouts layouts(Training training, const std::string& framework, int most_tensor);

}  // namespace collcast::workloads
