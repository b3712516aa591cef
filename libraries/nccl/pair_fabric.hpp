// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "libraries/nccl/pairs.hpp"

namespace collcast::nccl {

/// A machine's links as ncclSend and ncclRecv between two ranks use them: with the policy's protocol, or else
/// with LL for short messages and Simple for long ones. A message that fits into a channel's slots leaves at
/// once (eager). A longer one waits for its receiver. The kernel does not slow down other work of the GPU.
class PairFabric final : public MachineFabric {
 public:
  /// `machine`: with bare links (`beneath`).
  PairFabric(const Machine& machine, const Policy& policy, const Situation& s, const Software& software);

  Wire wire(Place from, Place to, Bytes bytes) const override;
  Switched switched(Switching what, Place from, Place to, Bytes bytes) const override {
    return of(bytes).switched(what, from, to, bytes);
  }
  void route(Place from, Place to, std::vector<LinkId>& links) const override {
    by_protocol_[0].route(from, to, links);
  }
  SecondsPerByte gamma(Place) const override { return {}; }
  const MessageProtocol& protocol() const override { return by_protocol_[0].protocol(); }
  /// The launch of the kernel that carries a lone message.
  Seconds launch_of(Bytes bytes) const { return of(bytes).launch(1); }

 private:
  const KernelFabric& of(Bytes bytes) const {
    return by_protocol_[static_cast<std::size_t>(pair_protocol(policy_, bytes))];
  }

  Policy policy_;
  Gpu gpu_;
  std::array<KernelFabric, 3> by_protocol_;
};

}  // namespace collcast::nccl
