// SPDX-License-Identifier: Apache-2.0
#include <nccl.h>

#include <string>

#include "execution/cuda/check.hpp"
#include "execution/cuda/exchange.hpp"
#include "execution/mpi/check.hpp"
#include "support/error.hpp"

namespace collcast::cuda {
namespace {

void check_nccl(ncclResult_t status, const char* call) {
  if (status != ncclSuccess && status != ncclInProgress)
    throw SubstrateError(std::string("NCCL: ") + call + ": " + ncclGetErrorString(status));
}

/// A step is one group of NCCL, so the order of its messages does not matter.
class NcclExchange final : public Exchange {
 public:
  explicit NcclExchange(ncclComm_t communicator) : communicator_(communicator) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~NcclExchange() override { cudaStreamDestroy(stream_); }
  NcclExchange(const NcclExchange&) = delete;
  NcclExchange& operator=(const NcclExchange&) = delete;

  void start(std::span<const Parcel> receives, std::span<const Parcel> sends) override {
    check_nccl(ncclGroupStart(), "ncclGroupStart");
    for (const Parcel& p : receives)
      check_nccl(ncclRecv(p.at, p.bytes(), ncclUint8, p.peer, communicator_, stream_), "ncclRecv");
    for (const Parcel& p : sends)
      check_nccl(ncclSend(p.at, p.bytes(), ncclUint8, p.peer, communicator_, stream_), "ncclSend");
    check_nccl(ncclGroupEnd(), "ncclGroupEnd");
  }

  bool done() override {
    ncclResult_t status = ncclSuccess;
    check_nccl(ncclCommGetAsyncError(communicator_, &status), "ncclCommGetAsyncError");
    check_nccl(status, "a group of ncclSend and ncclRecv");
    const cudaError_t stream = cudaStreamQuery(stream_);
    if (stream == cudaErrorNotReady) return false;
    check(stream, "cudaStreamQuery");
    return true;
  }

 private:
  ncclComm_t communicator_;
  cudaStream_t stream_ = nullptr;
};

class World final : public NcclWorld {
 public:
  World(const mpi::Communicator& communicator, int channels) {
    for (int c = 0; c < channels; ++c) {
      ncclUniqueId id{};
      if (communicator.rank() == 0) check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
      mpi::check(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, communicator.handle()), "MPI_Bcast");
      ncclComm_t& made = communicators_.emplace_back();
      check_nccl(ncclCommInitRank(&made, communicator.size(), id, communicator.rank()), "ncclCommInitRank");
    }
  }
  ~World() override {
    for (ncclComm_t c : communicators_) ncclCommDestroy(c);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  std::unique_ptr<Exchange> exchange(int channel) override {
    return std::make_unique<NcclExchange>(communicators_[static_cast<std::size_t>(channel)]);
  }

 private:
  std::vector<ncclComm_t> communicators_;
};

}  // namespace

std::unique_ptr<NcclWorld> nccl_world(const mpi::Communicator& communicator, int channels) {
  return std::make_unique<World>(communicator, channels);
}

}  // namespace collcast::cuda
