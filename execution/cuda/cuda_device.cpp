// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>

#include <cstring>
#include <map>
#include <optional>
#include <string>

#include "execution/cuda/check.hpp"
#include "execution/cuda/reduce.hpp"
#include "execution/cuda/released_memory.hpp"
#include "execution/cuda/shared_pages.hpp"
#include "support/error.hpp"

namespace collcast::cuda {

void fail(cudaError_t status, const char* call) {
  throw SubstrateError(std::string("CUDA: ") + call + ": " + cudaGetErrorString(status));
}

namespace {

class CudaQueue final : public Queue {
 public:
  CudaQueue() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
  ~CudaQueue() override { cudaStreamDestroy(stream_); }
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;

  void copy(std::byte* to, const std::byte* from, std::size_t bytes) override {
    if (bytes != 0) check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_), "cudaMemcpyAsync");
  }
  void reduce(std::byte* to, const std::byte* from, std::size_t count, Element element,
              Operation op) override {
    if (count != 0) cuda::reduce(to, from, count, element, op, stream_);
  }
  bool idle() override {
    const cudaError_t status = cudaStreamQuery(stream_);
    if (status == cudaErrorNotReady) return false;
    check(status, "cudaStreamQuery");
    return true;
  }

 private:
  cudaStream_t stream_ = nullptr;
};

/// cuMemGetAddressRange, found at run time so that nothing links to the driver.
CUdeviceptr allocation_of(const std::byte* at) {
  using Range = CUresult (*)(CUdeviceptr*, std::size_t*, CUdeviceptr);
  static const Range range = [] {
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    check(cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &entry, 12000, cudaEnableDefault, &found),
          "cudaGetDriverEntryPoint");
    if (found != cudaDriverEntryPointSuccess)
      throw SubstrateError("the CUDA driver has no cuMemGetAddressRange");
    return reinterpret_cast<Range>(entry);
  }();
  CUdeviceptr begin = 0;
  if (range(&begin, nullptr, reinterpret_cast<CUdeviceptr>(at)) != CUDA_SUCCESS)
    throw SubstrateError("CUDA: cuMemGetAddressRange: not in GPU memory");
  return begin;
}

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int number) {
    check(cudaSetDevice(number), "cudaSetDevice");
    check(cudaGetDeviceProperties(&properties_, number), "cudaGetDeviceProperties");
  }
  ~CudaDevice() override {
    for (const auto& [id, view] : peers_) cudaIpcCloseMemHandle(view);
    for (const auto& [begin, own] : own_)
      if (own.bytes != 0) cudaFree(reinterpret_cast<void*>(begin));
  }

  std::string name() const override { return properties_.name; }
  std::unique_ptr<Queue> queue() override { return std::make_unique<CudaQueue>(); }

  std::byte* allocate(Memory memory, std::size_t bytes) override {
    if (memory != Memory::device) return host_.allocate(bytes);
    bytes = ReleasedMemory::rounded(bytes, page);
    if (std::byte* kept = kept_.take(bytes)) return kept;
    void* begin = nullptr;
    check(cudaMalloc(&begin, bytes), "cudaMalloc");
    own_[reinterpret_cast<CUdeviceptr>(begin)].bytes = bytes;
    return static_cast<std::byte*>(begin);
  }
  void release(Memory memory, std::byte* begin) noexcept override {
    if (memory != Memory::device) return host_.release(begin);
    const auto own = own_.find(reinterpret_cast<CUdeviceptr>(begin));
    if (own == own_.end()) return;
    if (own->second.id) return kept_.keep(begin, own->second.bytes);
    cudaFree(begin);
    own_.erase(own);
  }

  Handle share(const std::byte* at) override {
    if (const Handle handle = host_.share(at); handle.kind != Handle::Kind::nothing) return handle;
    const CUdeviceptr begin = allocation_of(at);
    Handle handle{Handle::Kind::device, {}, reinterpret_cast<CUdeviceptr>(at) - begin};
    Allocation& own = own_[begin];
    if (!own.id) {
      cudaIpcMemHandle_t id;
      check(cudaIpcGetMemHandle(&id, reinterpret_cast<void*>(begin)), "cudaIpcGetMemHandle");
      std::memcpy(own.id.emplace().data(), &id, sizeof id);
    }
    handle.id = *own.id;
    return handle;
  }

  std::byte* open(const Handle& handle) override {
    if (handle.kind == Handle::Kind::host) return host_.open(handle);
    auto found = peers_.find(handle.id);
    if (found == peers_.end()) {
      cudaIpcMemHandle_t id;
      static_assert(sizeof id == sizeof handle.id);
      std::memcpy(&id, handle.id.data(), sizeof id);
      void* view = nullptr;
      check(cudaIpcOpenMemHandle(&view, id, cudaIpcMemLazyEnablePeerAccess), "cudaIpcOpenMemHandle");
      found = peers_.emplace(handle.id, view).first;
    }
    return static_cast<std::byte*>(found->second) + handle.offset;
  }

 private:
  using Id = decltype(Handle::id);
  struct Allocation {
    std::size_t bytes = 0;  ///< 0: somebody else allocated the memory
    std::optional<Id> id;   ///< set once peers may have opened it
  };
  /// The least that cudaMalloc reserves: smaller allocations share it, and an IPC handle opens all of it.
  static constexpr std::size_t page = std::size_t{2} << 20;

  cudaDeviceProp properties_{};
  SharedPages host_{[](std::byte* begin, std::size_t bytes) {
                      check(cudaHostRegister(begin, bytes, cudaHostRegisterPortable), "cudaHostRegister");
                    },
                    [](std::byte* begin, std::size_t) { cudaHostUnregister(begin); }};
  std::map<CUdeviceptr, Allocation> own_;
  ReleasedMemory kept_;
  std::map<Id, void*> peers_;
};

}  // namespace

std::unique_ptr<Device> cuda_device(int local_rank) {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess || devices == 0)
    throw SubstrateError(std::string("no GPU: ") +
                         (status == cudaSuccess ? "the CUDA driver finds none" : cudaGetErrorString(status)));
  return std::make_unique<CudaDevice>(local_rank % devices);
}

}  // namespace collcast::cuda
