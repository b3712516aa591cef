// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/machine/machine.hpp"

namespace collcast {

/// Base of the fabrics of libraries that move messages in their own way over a machine's ranks, ports and
/// links.
class MachineFabric : public Fabric {
 public:
  explicit MachineFabric(const Machine& machine) : machine_(machine) {}

  Rank ranks() const override { return machine_.ranks(); }
  std::vector<Bytes> sizes() const override { return machine_.sizes(); }
  SecondsPerByte gamma(Place place) const override { return machine_.gamma(place); }
  const MessageProtocol& protocol() const override { return machine_.protocol(); }
  Port ports() const override { return machine_.ports(); }
  Port queues() const override { return machine_.queues(); }
  std::string port_name(Port port) const override { return machine_.port_name(port); }
  const std::vector<Link>& links() const override { return machine_.links(); }
  void route(Place from, Place to, std::vector<LinkId>& links) const override {
    machine_.route(from, to, links);
  }

 protected:
  const Machine& machine_;
};

}  // namespace collcast
