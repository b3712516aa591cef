// SPDX-License-Identifier: Apache-2.0
#include "execution/cuda/exchange.hpp"
#include "execution/mpi/check.hpp"

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace collcast::cuda {
namespace {

MPI_Datatype of_width(int width) {
  return width == 8 ? MPI_UINT64_T : width == 4 ? MPI_UINT32_T : width == 2 ? MPI_UINT16_T : MPI_UINT8_T;
}

class MpiExchange final : public Exchange {
 public:
  MpiExchange(Device& device, const mpi::Communicator& communicator, int tag, bool gpu_aware)
      : device_(device), communicator_(communicator.handle()), tag_(tag), gpu_aware_(gpu_aware) {}

  void start(std::span<const Parcel> receives, std::span<const Parcel> sends) override {
    const std::size_t count = receives.size() + sends.size();
    while (ways_.size() < count) ways_.push_back({Buffer(device_, Memory::host), device_.queue()});
    under_way_ = count;
    for (std::size_t i = 0; i < count; ++i) {
      Way& way = ways_[i];
      way.receives = i < receives.size();
      way.parcel = way.receives ? receives[i] : sends[i - receives.size()];
      way.staged = way.parcel.in_device && !gpu_aware_ && way.parcel.count != 0;
      if (way.staged) way.host.grow(way.parcel.bytes());
      if (way.receives) {
        mpi::check(MPI_Irecv(at(way), way.parcel.count, of_width(way.parcel.width), way.parcel.peer, tag_,
                             communicator_, &way.request),
                   "MPI_Irecv");
        way.stage = Way::Stage::message;
      } else {
        if (way.staged) way.queue->copy(way.host.data(), way.parcel.at, way.parcel.bytes());
        way.stage = Way::Stage::copy;
      }
    }
  }

  bool done() override {
    std::size_t left = 0;
    bool in_order = true;  // messages to one peer leave in the order of the step
    for (std::size_t i = 0; i < under_way_; ++i) {
      Way& way = ways_[i];
      if (way.receives || in_order || way.stage != Way::Stage::copy)
        left += !advance(way);
      else
        ++left;
      in_order = in_order && (way.receives || way.stage != Way::Stage::copy);
    }
    return left == 0;
  }

 private:
  /// Receives are a message, then a copy into the GPU; sends are a copy out of the GPU, then a message.
  struct Way {
    Buffer host;
    std::unique_ptr<Queue> queue;
    Parcel parcel{};
    bool receives = false, staged = false;
    MPI_Request request = MPI_REQUEST_NULL;
    enum class Stage : std::uint8_t { copy, message, done } stage = Stage::done;
  };

  static std::byte* at(const Way& way) { return way.staged ? way.host.data() : way.parcel.at; }

  bool advance(Way& way) {
    if (way.stage == Way::Stage::copy && way.queue->idle()) {
      way.stage = Way::Stage::done;
      if (!way.receives) {
        mpi::check(MPI_Isend(at(way), way.parcel.count, of_width(way.parcel.width), way.parcel.peer, tag_,
                             communicator_, &way.request),
                   "MPI_Isend");
        way.stage = Way::Stage::message;
      }
    }
    if (way.stage == Way::Stage::message) {
      int here = 0;
      mpi::check(MPI_Test(&way.request, &here, MPI_STATUS_IGNORE), "MPI_Test");
      if (!here) return false;
      way.stage = Way::Stage::done;
      if (way.receives && way.staged) {
        way.queue->copy(way.parcel.at, way.host.data(), way.parcel.bytes());
        way.stage = Way::Stage::copy;
      }
    }
    return way.stage == Way::Stage::done;
  }

  Device& device_;
  MPI_Comm communicator_;
  int tag_;
  bool gpu_aware_;
  std::vector<Way> ways_;
  std::size_t under_way_ = 0;
};

}  // namespace

std::unique_ptr<Exchange> mpi_exchange(Device& device, const mpi::Communicator& communicator, int tag,
                                       bool gpu_aware) {
  return std::make_unique<MpiExchange>(device, communicator, tag, gpu_aware);
}

bool gpu_aware_mpi() {
#ifdef MPIX_CUDA_AWARE_SUPPORT
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

}  // namespace collcast::cuda
