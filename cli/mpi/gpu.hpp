// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "cli/mpi/report.hpp"
#include "execution/cuda/verify.hpp"

namespace collcast::mpi {

/// What plays if messages are in GPU memory.
struct Gpu {
  std::unique_ptr<cuda::Device> device;
  cuda::Transport transport = cuda::Transport::copy;
  cuda::Element element = cuda::Element::float32;
  cuda::Operation operation = cuda::Operation::sum;
};

/// The GPU of this process; empty unless `options.device` names one. Throws InputError or SubstrateError if
/// there is none.
std::optional<Gpu> gpu(const MpiOptions& options, const Communicator& communicator);

Outcome play(Gpu& gpu, const Job& job, int repetitions, const std::shared_ptr<Communicator>& communicator,
             const SharedClock& clock);

std::optional<Mismatch> verify(Gpu& gpu, const Job& job, const std::shared_ptr<Communicator>& communicator);

}  // namespace collcast::mpi
