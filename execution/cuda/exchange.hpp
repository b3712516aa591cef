// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "execution/cuda/device.hpp"
#include "execution/mpi/communicator.hpp"

namespace collcast::cuda {

/// One end of a message of this rank: `count` elements of `width` bytes.
struct Parcel {
  std::byte* at = nullptr;
  int count = 0;
  int width = 1;
  int peer = 0;
  bool in_device = true;  ///< in GPU memory at this end
  std::size_t bytes() const { return static_cast<std::size_t>(count) * static_cast<std::size_t>(width); }
};

/// Transfers the messages of one channel, step by step.
class Exchange {
 public:
  virtual ~Exchange() = default;
  /// Starts the messages of a step. The data to send are ready, and the places to receive may be written. The
  /// peers start their ends.
  virtual void start(std::span<const Parcel> receives, std::span<const Parcel> sends) = 0;
  /// Makes progress; returns whether all messages are complete at both ends.
  virtual bool done() = 0;
};

/// How messages travel.
/// copy: the sender's copy engine writes into the receiver's memory (CUDA IPC on one GPU, peer to peer
/// between GPUs, pinned host memory to and from GPUs); for ranks of one node.
/// mpi: by MPI messages, directly from GPU memory if the MPI library can, else through pinned host memory.
/// nccl: groups of ncclSend and ncclRecv; between GPU memories.
enum class Transport : std::uint8_t { copy, mpi, nccl };

/// Uses the tags `tag` and `tag + 1`.
std::unique_ptr<Exchange> copy_exchange(Device& device, const mpi::Communicator& communicator, int tag);
/// Uses the tag `tag`. `gpu_aware`: MPI takes GPU addresses.
std::unique_ptr<Exchange> mpi_exchange(Device& device, const mpi::Communicator& communicator, int tag,
                                       bool gpu_aware);
/// Whether the MPI library reports that it takes GPU addresses.
bool gpu_aware_mpi();

/// An NCCL communicator for each of several channels.
class NcclWorld {
 public:
  virtual ~NcclWorld() = default;
  virtual std::unique_ptr<Exchange> exchange(int channel) = 0;
};
/// Collective over the communicator. Throws InputError in a build without NCCL.
std::unique_ptr<NcclWorld> nccl_world(const mpi::Communicator& communicator, int channels);

}  // namespace collcast::cuda
