// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "workloads/training/training.hpp"

namespace collcast::workloads {

/// How a training step is divided among ranks: into replicas, and each of these into tensor-, context- and
/// pipeline-parallel parts. Replicas may divide the experts among them.
struct Layout {
  std::string framework;  ///< with all settings, as --framework takes it
  int data = 1, tensor = 1, context = 1, pipeline = 1, expert = 1;
  Bytes memory;        ///< what a rank needs
  Seconds least_step;  ///< lower bound, by computation and bubble alone
  double samples = 0;  ///< of all replicas in a step
};

/// Layouts of a step on its ranks. Tensor sizes are divisors of the number of ranks, up to the largest that
/// was asked for; pipelines are divisors of the rest. Each pair is tried with the fewest context-parallel
/// ranks that it needs to fit; with experts shared out among any number of replicas; with and without
/// recomputation, each with the fewest micro-batches that fit into memory. A pipeline has at least four
/// micro-batches per stage; it is also tried with sixteen, and with two parts of the model per stage
/// (interleaved).
struct Layouts {
  std::vector<Layout> fit;
  int too_large = 0;    ///< pairs for which nothing fits
  int indivisible = 0;  ///< pairs that batch, heads, blocks or framework do not allow
  Layout smallest;      ///< the smallest of those that are too large
  std::string reason;   ///< why the first pair is indivisible
};

/// Layouts under a framework, as users write it. Settings that it states stay, and those that it leaves open
/// are tried. `training` has everything but the framework. Throws InputError for an unknown framework.
Layouts layouts(Training training, const std::string& framework, int most_tensor);

}  // namespace collcast::workloads
