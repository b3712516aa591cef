// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/order.hpp"

#include <algorithm>

namespace collcast::workloads {
namespace {

/// The k-th pass of one direction: groups of p micro-batches go through the chunks in turn.
Pass kth(const Framework& f, int k, bool backward) {
  if (f.interleave == 1) return {k, 0, backward};
  const int turn = f.pipeline * f.interleave;
  const int chunk = k % turn / f.pipeline;
  return {k / turn * f.pipeline + k % f.pipeline, backward ? f.interleave - 1 - chunk : chunk, backward};
}

/// Replica after replica: all forward passes, then all backward passes (MPI4DL gems_master.py).
std::vector<Pass> in_turns(const Framework& f) {
  std::vector<Pass> passes;
  const int each = f.micro_batches / f.replicas;
  for (int r = 0; r < f.replicas; ++r)
    for (const bool backward : {false, true})
      for (int k = 0; k < each; ++k) passes.push_back({r * each + k, 0, backward, r % 2 == 1});
  return passes;
}

}  // namespace

std::vector<Pass> order(const Framework& f, int stage) {
  if (f.replicas > 1) return in_turns(f);
  const int all = f.micro_batches * f.interleave;
  const int behind = f.pipeline - stage - 1;
  const int warm_up = !f.one_forward_one_backward ? all
                      : f.interleave > 1 ? std::min(all, 2 * behind + (f.interleave - 1) * f.pipeline)
                                         : std::min(all, behind);
  std::vector<Pass> passes;
  for (int k = 0; k < warm_up; ++k) passes.push_back(kth(f, k, false));
  for (int k = warm_up; k < all; ++k) {
    passes.push_back(kth(f, k, false));
    passes.push_back(kth(f, k - warm_up, true));
  }
  for (int k = all - warm_up; k < all; ++k)
    passes.push_back(kth(f, f.one_forward_one_backward ? k : all - 1 - k, true));
  return passes;
}

}  // namespace collcast::workloads
