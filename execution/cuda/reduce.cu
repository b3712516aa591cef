// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "execution/cuda/check.hpp"
#include "execution/cuda/reduce.hpp"

namespace collcast::cuda {
namespace {

/// As many elements as one load fetches.
template <class T, int n>
struct alignas(sizeof(T) * n) Pack {
  T values[n];
};

template <class T, int n, Operation op>
__global__ void reduce_packs(Pack<T, n>* to, const Pack<T, n>* from, std::size_t packs) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < packs;
       i += stride) {
    Pack<T, n> a = to[i];
    const Pack<T, n> b = from[i];
#pragma unroll
    for (int j = 0; j < n; ++j) a.values[j] = apply(op, a.values[j], b.values[j]);
    to[i] = a;
  }
}

template <class T, int n, Operation op>
void launch(T* to, const T* from, std::size_t count, cudaStream_t stream) {
  constexpr unsigned threads = 256, most_blocks = 1024;
  const std::size_t packs = count / n;
  if (packs == 0) return;
  const auto blocks =
      static_cast<unsigned>(std::min<std::size_t>(most_blocks, (packs + threads - 1) / threads));
  reduce_packs<T, n, op><<<blocks, threads, 0, stream>>>(reinterpret_cast<Pack<T, n>*>(to),
                                                         reinterpret_cast<const Pack<T, n>*>(from), packs);
  check(cudaGetLastError(), "reduction kernel");
}

template <class T, Operation op>
void reduce(T* to, const T* from, std::size_t count, cudaStream_t stream) {
  constexpr int n = 16 / sizeof(T);
  const bool aligned =
      (reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) % 16 == 0;
  const std::size_t packed = aligned ? count / n * n : 0;
  launch<T, n, op>(to, from, packed, stream);
  launch<T, 1, op>(to + packed, from + packed, count - packed, stream);
}

}  // namespace

void reduce(std::byte* to, const std::byte* from, std::size_t count, Element element, Operation op,
            cudaStream_t stream) {
  with_type(element, [&](auto sample) {
    using T = decltype(sample);
    auto* out = reinterpret_cast<T*>(to);
    const auto* in = reinterpret_cast<const T*>(from);
    switch (op) {
      case Operation::sum:
        return reduce<T, Operation::sum>(out, in, count, stream);
      case Operation::product:
        return reduce<T, Operation::product>(out, in, count, stream);
      case Operation::minimum:
        return reduce<T, Operation::minimum>(out, in, count, stream);
      default:
        return reduce<T, Operation::maximum>(out, in, count, stream);
    }
  });
}

}  // namespace collcast::cuda
