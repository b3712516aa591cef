// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "libraries/transport.hpp"
#include "replay/application/replay.hpp"

namespace collcast {

/// A platform with the source's ranks on it, as the policy's library sends where it brings its own way.
struct Stage {
  std::optional<nccl::Policy> nccl;  ///< whose ncclSend and ncclRecv send the messages
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
