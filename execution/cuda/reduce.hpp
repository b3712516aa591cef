// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "execution/cuda/element.hpp"

namespace collcast::cuda {

/// Queues to[i] = to[i] op from[i] on the stream; 16 bytes at a time if both are aligned to that.
void reduce(std::byte* to, const std::byte* from, std::size_t count, Element element, Operation op,
            cudaStream_t stream);

}  // namespace collcast::cuda
