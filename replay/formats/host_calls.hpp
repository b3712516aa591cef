// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "replay/formats/gpu_time.hpp"

/// Profiles of hosts alone: of jobs without GPUs, or by profilers that were not told of them.
namespace collcast::gpu {

/// If no rank has kernels of a GPU, plays the hosts' calls instead, one after the other, with the time
/// between calls as computation. False if there are kernels, or no calls.
bool play_host_calls(std::vector<RankTrace>& traces);

}  // namespace collcast::gpu
