// SPDX-License-Identifier: Apache-2.0
#include "replay/application/stage.hpp"

namespace collcast {
namespace {

/// The policy of NCCL that sends messages between pairs; only for a program that used no MPI.
std::optional<nccl::Policy> sent_by_nccl(const Source& source, const ReplayOptions& options) {
  const bool on_gpus = options.memory.value_or(source.info().memory) == Memory::device;
  return on_gpus && !source.info().by_mpi ? nccl::parse(options.policy) : std::nullopt;
}

}  // namespace

Stage::Stage(const Description& platform, const Source& source, const ReplayOptions& options, double stretch)
    : nccl(sent_by_nccl(source, options)),
      transport(nccl ? Transport{Transport::Kind::nccl}
                     : transport_of(options.policy).value_or(own_transport(platform))),
      machine(beneath(transport, platform), source.ranks(), options.placement),
      pairs(nccl ? pairs_of(*nccl, machine, platform, stretch) : nullptr),
      sent(nccl ? nullptr : fabric_of(transport, machine, platform)),
      fabric(carrier(), options.memory.value_or(source.info().memory)) {}

const Fabric& Stage::carrier() const {
  if (pairs) return *pairs;
  return sent ? *sent : static_cast<const Fabric&>(machine);
}

}  // namespace collcast
