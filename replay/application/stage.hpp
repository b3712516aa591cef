// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "libraries/transport.hpp"
#include "replay/application/replay.hpp"

namespace collcast {

/// A platform with the source's ranks on it, and how the policy's library sends messages between them.
struct Stage {
  std::optional<nccl::Policy> nccl;  ///< if ncclSend and ncclRecv carry messages
  Transport transport;
  Machine machine;
  std::unique_ptr<nccl::PairFabric> pairs;
  std::unique_ptr<Fabric> sent;
  HomeFabric fabric;

  Stage(const Description& platform, const Source& source, const ReplayOptions& options, double stretch = 1);

 private:
  const Fabric& carrier() const;
};

}  // namespace collcast
