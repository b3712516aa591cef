// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "libraries/nccl/pairs.hpp"

namespace collcast::nccl {

/// A machine's links as ncclSend and ncclRecv of one pair of ranks use them: LL for short messages, Simple
/// for others.
class PairFabric final : public MachineFabric {
 public:
  /// `machine`: its links alone.
  PairFabric(const Machine& machine, const Policy& policy, const Situation& s, const Software& software);

  collcast::Wire wire(Place from, Place to, Bytes bytes) const override {
    return of(bytes).wire(from, to, bytes);
  }
  Switched switched(Switching what, Place from, Place to, Bytes bytes) const override {
    return of(bytes).switched(what, from, to, bytes);
  }
  SecondsPerByte gamma(Place) const override { return {}; }
  const collcast::Protocol& protocol() const override { return simple_.protocol(); }
  /// Of the kernel that carries a lone message.
  Seconds launch_of(Bytes bytes) const { return of(bytes).launch(1); }

 private:
  const KernelFabric& of(Bytes bytes) const {
    return pair_protocol(policy_, bytes) == Protocol::ll ? ll_ : simple_;
  }

  Policy policy_;
  KernelFabric ll_, simple_;
};

}  // namespace collcast::nccl
