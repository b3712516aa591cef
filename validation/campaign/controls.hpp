// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/fabric.hpp"
#include "platforms/description/description.hpp"

namespace collcast::campaign {

/// Negative controls: networks with one thing wrong. A report that cannot tell them from the right network
/// proves nothing.

/// A platform on which only bytes take time.
Description without_times(Description platform);

/// A network for CriticalPath in which a rank has one queue for both what it sends and what it receives.
class HalfDuplex {
 public:
  explicit HalfDuplex(const Fabric& fabric) : fabric_(fabric) {}
  Wire wire(Place from, Place to, Bytes bytes) const {
    Wire wire = fabric_.wire(from, to, bytes);
    wire.out_queue = static_cast<Port>(from.rank);
    wire.in_queue = static_cast<Port>(to.rank);
    return wire;
  }
  SecondsPerByte gamma(Place place) const { return fabric_.gamma(place); }
  const MessageProtocol& protocol() const { return fabric_.protocol(); }
  Port ports() const { return fabric_.ports(); }
  Port queues() const { return static_cast<Port>(fabric_.ranks()); }

 private:
  const Fabric& fabric_;
};

/// A fabric with a port for each pair of ranks: messages to different ranks leave a NIC at once and share its
/// link.
class FairNic : public FabricAdaptor {
 public:
  explicit FairNic(const Fabric& fabric) : FabricAdaptor(fabric) {}

  Wire wire(Place from, Place to, Bytes bytes) const override {
    Wire wire = base_.wire(from, to, bytes);
    wire.out = pair(from, to);
    wire.out_queue = Wire::as_port;
    wire.in = pairs() + pair(from, to);
    return wire;
  }
  Port ports() const override { return 2 * pairs(); }
  Port queues() const override { return ports(); }
  std::string port_name(Port port) const override { return "connection " + std::to_string(port % pairs()); }

 private:
  Port pairs() const { return static_cast<Port>(ranks()) * static_cast<Port>(ranks()); }
  Port pair(Place from, Place to) const {
    return static_cast<Port>(from.rank) * static_cast<Port>(ranks()) + static_cast<Port>(to.rank);
  }
};

}  // namespace collcast::campaign
