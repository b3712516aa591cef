// SPDX-License-Identifier: Apache-2.0
#include "cli/mpi/gpu.hpp"

#include <algorithm>

#include "execution/mpi/collective_errors.hpp"
#include "execution/mpi/on_machine.hpp"
#include "support/error.hpp"

namespace collcast::mpi {

std::optional<Gpu> gpu(const MpiOptions& options, const Communicator& communicator) {
  if (options.device == "host") return {};
  Gpu gpu;
  const int local = on_machine(communicator.handle()).rank;
  attempt_on_all(communicator.handle(), [&] {
    gpu.device = options.device == "cuda" ? cuda::cuda_device(local) : cuda::emulated_device();
  });
  gpu.transport = options.transport;
  gpu.element = options.element;
  gpu.operation = options.operation;
  return gpu;
}

Outcome play(Gpu& gpu, const Job& job, int repetitions, const std::shared_ptr<Communicator>& communicator,
             const SharedClock& clock) {
  std::optional<cuda::Player> player;
  attempt_on_all(communicator->handle(), [&] {
    player.emplace(*job.algorithm, job.call, gpu.element, gpu.operation, communicator, *gpu.device,
                   gpu.transport);
  });
  const cuda::ElementInfo& element = cuda::info(gpu.element);
  const cuda::Buffer send(*gpu.device, Memory::device,
                          std::max<std::size_t>(1, player->sent()) * element.size);
  const cuda::Buffer recv(*gpu.device, Memory::device,
                          std::max<std::size_t>(1, player->received()) * element.size);
  const auto once = [&] { player->run(send.data(), recv.data()); };
  return {job, std::string(element.name), false, measure(once, repetitions, *communicator, clock)};
}

std::optional<Mismatch> verify(Gpu& gpu, const Job& job, const std::shared_ptr<Communicator>& communicator) {
  return cuda::verify(*job.algorithm, job.call, gpu.element, gpu.operation, communicator, *gpu.device,
                      gpu.transport);
}

}  // namespace collcast::mpi
