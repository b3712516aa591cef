// SPDX-License-Identifier: Apache-2.0
#include "libraries/nccl/pair_fabric.hpp"

namespace collcast::nccl {
namespace {

constexpr int slots = 8;  // NCCL_STEPS

KernelFabric of_protocol(const Machine& machine, const Policy& policy, const Situation& s,
                         const Software& software, Protocol protocol) {
  const KernelSettings t{
      .release = policy.release, .protocol = protocol, .peers = 1, .channels = policy.channels};
  return {machine, t, s, software, carriers_of_pairs(policy, s, machine, 1)};
}

}  // namespace

PairFabric::PairFabric(const Machine& machine, const Policy& policy, const Situation& s,
                       const Software& software)
    : MachineFabric(machine),
      policy_(policy),
      gpu_(s.gpu),
      by_protocol_{of_protocol(machine, policy, s, software, Protocol::ll),
                   of_protocol(machine, policy, s, software, Protocol::ll128),
                   of_protocol(machine, policy, s, software, Protocol::simple)} {}

Wire PairFabric::wire(Place from, Place to, Bytes bytes) const {
  Wire w = of(bytes).wire(from, to, bytes);
  if (from.rank == to.rank) return w;
  const Bytes buffered(slots * kernel(pair_protocol(policy_, bytes), gpu_).step_KiB * 1024);
  w.eager = bytes <= buffered;
  w.streamed = false;
  w.handshake = {};
  return w;
}

}  // namespace collcast::nccl
