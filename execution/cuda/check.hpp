// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

namespace collcast::cuda {

/// Throws SubstrateError with CUDA's own message.
[[noreturn]] void fail(cudaError_t status, const char* call);

/// Every CUDA call goes through here: `check(cudaMalloc(...), "cudaMalloc")`.
inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) [[unlikely]]
    fail(status, call);
}

}  // namespace collcast::cuda
