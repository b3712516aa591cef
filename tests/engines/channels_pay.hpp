// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/fabric.hpp"

namespace collcast::testing {

/// The same fabric, on which each channel of a schedule has a processor of its own. One processor serves the
/// channels in the order in which their messages are ready, and the critical path knows only that it serves
/// them all.
class ChannelsPay : public FabricAdaptor {
 public:
  explicit ChannelsPay(const Fabric& base) : FabricAdaptor(base), protocol_(base.protocol()) {
    protocol_.channels_pay = true;
  }
  Wire wire(Place from, Place to, Bytes bytes) const override { return base_.wire(from, to, bytes); }
  Switched switched(Switching what, Place from, Place to, Bytes bytes) const override {
    return base_.switched(what, from, to, bytes);
  }
  const MessageProtocol& protocol() const override { return protocol_; }
  std::optional<AlphaBetaGamma> hockney() const override { return base_.hockney(); }

 private:
  MessageProtocol protocol_;
};

}  // namespace collcast::testing
