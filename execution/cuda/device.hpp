// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "execution/cuda/element.hpp"
#include "model/schedule.hpp"

namespace collcast::cuda {

/// A handle by which other processes of the node open this memory.
struct Handle {
  enum class Kind : std::uint8_t { nothing, device, host };
  Kind kind = Kind::nothing;
  std::array<std::byte, 64> id{};  ///< id of the allocation
  std::size_t offset = 0;          ///< [bytes] in the allocation
};

/// Work that is done in order, concurrently with other queues: a CUDA stream.
class Queue {
 public:
  virtual ~Queue() = default;
  /// Copies between any memories that this process can address, including opened ones of its peers.
  virtual void copy(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
  /// to[i] = to[i] op from[i].
  virtual void reduce(std::byte* to, const std::byte* from, std::size_t count, Element, Operation) = 0;
  /// Whether all work is done. Throws SubstrateError if any of it failed.
  virtual bool idle() = 0;
};

/// A GPU and its host's memory, as one process sees them. All calls throw SubstrateError if the device fails.
class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;
  virtual std::unique_ptr<Queue> queue() = 0;

  /// Memory::host and Memory::dpu are pinned host memory.
  virtual std::byte* allocate(Memory memory, std::size_t bytes) = 0;
  virtual void release(Memory memory, std::byte* begin) noexcept = 0;

  /// A handle of memory at `at`, which is in memory of this GPU or was returned by allocate().
  virtual Handle share(const std::byte* at) = 0;
  /// The address of a peer's shared memory in this process; it stays mapped.
  virtual std::byte* open(const Handle& handle) = 0;
};

/// The GPU of this process; the processes of a node take its GPUs in turn. Throws SubstrateError if there is
/// none, and InputError in a build without CUDA.
std::unique_ptr<Device> cuda_device(int local_rank);

/// A GPU emulated in host memory, for tests. Processes share its memory like a GPU's. A queue does one piece
/// of work each time it is asked whether it is idle.
std::unique_ptr<Device> emulated_device();

/// Memory that can grow; growing loses its content.
class Buffer {
 public:
  Buffer(Device& device, Memory memory, std::size_t bytes = 0) : device_(&device), memory_(memory) {
    grow(bytes);
  }
  Buffer(Buffer&& other) noexcept
      : device_(other.device_), memory_(other.memory_), begin_(other.begin_), size_(other.size_) {
    other.begin_ = nullptr;
  }
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer() {
    if (begin_) device_->release(memory_, begin_);
  }

  void grow(std::size_t bytes) {
    if (bytes <= size_) return;
    if (begin_) device_->release(memory_, begin_);
    begin_ = nullptr;
    begin_ = device_->allocate(memory_, bytes);
    size_ = bytes;
  }
  std::byte* data() const { return begin_; }
  std::size_t size() const { return size_; }

 private:
  Device* device_;
  Memory memory_;
  std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace collcast::cuda
