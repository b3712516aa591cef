// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "replay/formats/gpu_time.hpp"

/// Profiles of hosts alone: of jobs without GPUs, or by profilers that were not told of them.
namespace collcast::gpu {

/// Where no rank has kernels of a GPU: plays what the hosts called instead, one call after the other, with
/// the hosts' time between calls as computation. False if there are kernels, or no calls.
bool play_host_calls(std::vector<RankTrace>& traces);

}  // namespace collcast::gpu
