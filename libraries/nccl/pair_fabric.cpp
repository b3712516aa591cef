// SPDX-License-Identifier: Apache-2.0
#include "libraries/nccl/pair_fabric.hpp"

namespace collcast::nccl {
namespace {

KernelFabric of_protocol(const Machine& machine, const Policy& policy, const Situation& s,
                         const Software& software, Protocol protocol) {
  const Transport t{policy.minor, Shape::ring, protocol, 1, policy.channels};
  return {machine, t, s, software, carriers_of_pairs(policy, s, machine, 1)};
}

}  // namespace

PairFabric::PairFabric(const Machine& machine, const Policy& policy, const Situation& s,
                       const Software& software)
    : MachineFabric(machine),
      policy_(policy),
      ll_(of_protocol(machine, policy, s, software, Protocol::ll)),
      simple_(of_protocol(machine, policy, s, software, Protocol::simple)) {}

}  // namespace collcast::nccl
