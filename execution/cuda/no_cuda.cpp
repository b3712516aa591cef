// SPDX-License-Identifier: Apache-2.0
// In place of the CUDA sources in a build without CUDA.
#include "execution/cuda/exchange.hpp"
#include "support/error.hpp"

namespace collcast::cuda {

std::unique_ptr<Device> cuda_device(int) {
  throw InputError("this build has no CUDA: configure with --preset cuda, or use --device emulated");
}

std::unique_ptr<NcclWorld> nccl_world(const mpi::Communicator&, int) {
  throw InputError("this build has no NCCL: configure with --preset cuda, or use --transport copy or mpi");
}

}  // namespace collcast::cuda
